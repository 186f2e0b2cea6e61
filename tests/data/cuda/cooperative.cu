// Synchronisation of the grid, tiles and coalesced groups.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void phases(int* x, int n) {
  cg::grid_group grid = cg::this_grid();
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const int i = grid.thread_rank();
  if (i < n) x[i] += tile.shfl_down(x[i], 1);
  grid.sync();
  if (i < n) x[i] += x[n - 1 - i];
  auto active = cg::coalesced_threads();
  if (active.thread_rank() == 0) atomicAdd(x, active.size());
}
