// Texture and surface objects.
extern "C" __global__ void sample(cudaTextureObject_t texture,
                                  cudaSurfaceObject_t surface, float* out,
                                  int width) {
  const int x = threadIdx.x, y = blockIdx.x;
  float4 v = tex2D<float4>(texture, x + 0.5f, y + 0.5f);
  v.x += tex1Dfetch<float>(texture, x) + tex3D<float>(texture, x, y, 1.0f);
  v.y += tex2DLod<float>(texture, x, y, 1.5f);
  int s = 0;
  surf2Dread(&s, surface, x * 4, y);
  surf2Dwrite(s + 1, surface, x * 4, y);
  out[y * width + x] = v.x + v.y + s;
}
