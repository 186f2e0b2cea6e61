// Gravity among all bodies; a body is {x, y, z, mass}.
constexpr int kTile = 256;
constexpr float kSoftening = 0.01f;

extern "C" __global__ void attract(const float4* bodies, float4* acceleration,
                                   int n) {
  __shared__ float4 tile[kTile];
  int i = blockIdx.x * kTile + threadIdx.x;
  float4 self = bodies[i];
  float ax = 0.0f, ay = 0.0f, az = 0.0f;
  for (int first = 0; first < n; first += kTile) {
    tile[threadIdx.x] = bodies[first + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < kTile; ++j) {
      float dx = tile[j].x - self.x;
      float dy = tile[j].y - self.y;
      float dz = tile[j].z - self.z;
      float squared = dx * dx + dy * dy + dz * dz + kSoftening;
      float pull = tile[j].w / (squared * sqrtf(squared));
      ax += dx * pull;
      ay += dy * pull;
      az += dz * pull;
    }
    __syncthreads();
  }
  acceleration[i] = make_float4(ax, ay, az, 0.0f);
}

extern "C" __global__ void advance(float4* bodies, float4* velocity,
                                   const float4* acceleration, float dt,
                                   int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 body = bodies[i];
  float4 v = velocity[i];
  float4 a = acceleration[i];
  v.x += a.x * dt;
  v.y += a.y * dt;
  v.z += a.z * dt;
  body.x += v.x * dt;
  body.y += v.y * dt;
  body.z += v.z * dt;
  velocity[i] = v;
  bodies[i] = body;
}
