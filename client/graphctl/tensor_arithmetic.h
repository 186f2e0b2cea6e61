// What the tensor commands compute: random values, differences, conversions.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CLIENT_GRAPHCTL_TENSOR_ARITHMETIC_H_
#define GRAPHD_CLIENT_GRAPHCTL_TENSOR_ARITHMETIC_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "client/graphctl/tensor_file.h"

namespace graphd::graphctl {

// Element i is a function of seed and i alone (SplitMix64), the same on every
// machine: uniform between `low` and `high`, rounded to nearest for floats,
// low ≤ value < high for integers.
// Errors: INVALID_ARGUMENT: an empty range, or one that the type cannot hold.
absl::StatusOr<Tensor> RandomTensor(ScalarType type,
                                    std::vector<uint64_t> shape, uint64_t seed,
                                    double low, double high);

struct Difference {
  uint64_t count = 0;  // elements whose bits differ; two NaNs are equal
  uint64_t first = 0;  // index of the first of them
  double max_absolute = 0;
  uint64_t max_ulp = 0;  // floats: representable values between the two
};

// Errors: INVALID_ARGUMENT: types or shapes differ.
absl::StatusOr<Difference> Compare(const Tensor& a, const Tensor& b);

// Rounds to nearest even; integers from floats must be whole.
// Errors: INVALID_ARGUMENT naming the first element that does not fit.
absl::StatusOr<Tensor> Convert(const Tensor& tensor, ScalarType type);

}  // namespace graphd::graphctl

#endif  // GRAPHD_CLIENT_GRAPHCTL_TENSOR_ARITHMETIC_H_
