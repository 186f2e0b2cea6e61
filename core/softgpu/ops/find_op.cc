#include "core/softgpu/ops/lanes.h"

namespace graphd::softgpu::GRAPHD_INSTRUCTION_SET {

OpFunction FindOp(const OpKey& key) {
  for (const auto find :
       {FindInteger, FindWideInteger, FindFloat, FindFloatFunction,
        FindComparison, FindBits, FindMove, FindConversion}) {
    if (const OpFunction function = find(key)) return function;
  }
  return nullptr;
}

}  // namespace graphd::softgpu::GRAPHD_INSTRUCTION_SET
