// Tensors in NumPy's .npy files, versions 1 to 3, read strictly.
//
// Row-major, little-endian, of a scalar type; everything else is refused with
// what was found. bfloat16, which NumPy has no name for, is two-byte void
// ("V2"), as ml_dtypes writes it. Format: numpy/lib/format.py.
//
// Thread safety: Tensor is thread-compatible, the functions are thread-safe.
#ifndef GRAPHD_CLIENT_GRAPHCTL_TENSOR_FILE_H_
#define GRAPHD_CLIENT_GRAPHCTL_TENSOR_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/graph/scalar.h"

namespace graphd::graphctl {

struct Tensor {
  ScalarType type = ScalarType::kF32;
  std::vector<uint64_t> shape;  // outermost first; empty: one element
  std::string data;             // row-major, little-endian

  uint64_t elements() const { return data.size() / SizeBytes(type); }
  // Requires: index < elements().
  Scalar at(uint64_t index) const;
  // "(3, 4)", "(7,)", "()", as NumPy shows it.
  std::string ShapeText() const;
};

// Bytes of a dense array of this type and shape.
// Errors: INVALID_ARGUMENT: more than 2^63 - 1, or over 32 dimensions.
absl::StatusOr<uint64_t> DenseBytes(ScalarType type,
                                    const std::vector<uint64_t>& shape);

// Errors: INVALID_ARGUMENT saying what was expected and what was found.
absl::StatusOr<Tensor> ParseNpy(absl::string_view bytes);
// Version 1.0, data aligned to 64 bytes.
// Requires: data.size() == DenseBytes(type, shape).
std::string WriteNpy(const Tensor& tensor);

// "-" is a standard stream. Errors: those of the file and of ParseNpy, naming
// the file.
absl::StatusOr<Tensor> ReadTensorFile(const std::string& path);
absl::Status WriteTensorFile(const std::string& path, const Tensor& tensor);

}  // namespace graphd::graphctl

#endif  // GRAPHD_CLIENT_GRAPHCTL_TENSOR_FILE_H_
