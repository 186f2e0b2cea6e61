// graphd.v1.Scalar and graphd.v1.ScalarType to and from core/graph/scalar.h.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_CODEC_SCALAR_CODEC_H_
#define GRAPHD_CORE_CODEC_SCALAR_CODEC_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "core/graph/scalar.h"
#include "graphd/v1/graph.pb.h"

namespace graphd {

// nullopt: unspecified, or a number that this version does not know.
std::optional<ScalarType> ScalarTypeFromProto(v1::ScalarType type);
v1::ScalarType ScalarTypeToProto(ScalarType type);
// For numbers of record.proto.
std::optional<ScalarType> ScalarTypeFromNumber(uint32_t number);

// Errors: INVALID_ARGUMENT: no type, no value, a value whose kind does not suit
// the type, or one that does not fit it.
absl::StatusOr<Scalar> ScalarFromProto(const v1::Scalar& message);
v1::Scalar ScalarToProto(const Scalar& scalar);

}  // namespace graphd

#endif  // GRAPHD_CORE_CODEC_SCALAR_CODEC_H_
