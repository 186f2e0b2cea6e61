// The .npy reader: whatever it accepts is consistent, and reads back when it
// is written.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "client/graphctl/tensor_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace graphd::graphctl;  // NOLINT: the whole program
  const auto tensor =
      ParseNpy(absl::string_view(reinterpret_cast<const char*>(data), size));
  if (!tensor.ok()) return 0;
  const auto bytes = DenseBytes(tensor->type, tensor->shape);
  if (!bytes.ok() || *bytes != tensor->data.size()) std::abort();
  const auto again = ParseNpy(WriteNpy(*tensor));
  if (!again.ok() || again->type != tensor->type ||
      again->shape != tensor->shape || again->data != tensor->data) {
    std::abort();
  }
  return 0;
}
