// SHA-256 digests, the names of content.
//
// Display form is "sha256:" and 64 lower-case hexadecimal digits.
//
// Thread safety: Digest is immutable; DigestBuilder is thread-compatible.
#ifndef GRAPHD_CORE_BASE_DIGEST_H_
#define GRAPHD_CORE_BASE_DIGEST_H_

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace graphd {

struct Digest {
  std::array<uint8_t, 32> bytes{};

  std::string ToString() const;
  // Errors: INVALID_ARGUMENT when `text` is not in display form.
  static absl::StatusOr<Digest> Parse(absl::string_view text);

  auto operator<=>(const Digest&) const = default;
  template <typename H>
  friend H AbslHashValue(H h, const Digest& d) {
    return H::combine(std::move(h), d.bytes);
  }
};

// The digest of `bytes`.
Digest Sha256(absl::string_view bytes);

// Feeds a canonical encoding into SHA-256: fixed-width little-endian integers
// and length-prefixed strings, so that no two different sequences of fields
// produce the same bytes.
class DigestBuilder {
 public:
  DigestBuilder();
  ~DigestBuilder();
  DigestBuilder(const DigestBuilder&) = delete;
  DigestBuilder& operator=(const DigestBuilder&) = delete;

  DigestBuilder& U8(uint8_t value);
  DigestBuilder& U32(uint32_t value);
  DigestBuilder& U64(uint64_t value);
  DigestBuilder& Bytes(absl::string_view value);  // U64 length, then the bytes
  DigestBuilder& Add(const Digest& value);

  // Ends the builder. Requires: called once.
  Digest Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace graphd

#endif  // GRAPHD_CORE_BASE_DIGEST_H_
