#include "core/base/digest.h"

#include <openssl/evp.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/base/check.h"

namespace graphd {
namespace {

constexpr absl::string_view kPrefix = "sha256:";

}  // namespace

struct DigestBuilder::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }

  void Update(const void* data, size_t size) {
    GRAPHD_CHECK(EVP_DigestUpdate(context, data, size) == 1);
  }
};

std::string Digest::ToString() const {
  return absl::StrCat(
      kPrefix, absl::BytesToHexString(absl::string_view(
                   reinterpret_cast<const char*>(bytes.data()), bytes.size())));
}

absl::StatusOr<Digest> Digest::Parse(absl::string_view text) {
  const auto bad = [&] {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", absl::CEscape(text.substr(0, 80)),
                     "\" is not a digest: expected sha256: and 64 lower-case "
                     "hexadecimal digits"));
  };
  if (!absl::StartsWith(text, kPrefix) || text.size() != kPrefix.size() + 64) {
    return bad();
  }
  const absl::string_view hex = text.substr(kPrefix.size());
  for (char c : hex) {
    if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return bad();
  }
  const std::string raw = absl::HexStringToBytes(hex);
  Digest digest;
  for (size_t i = 0; i < digest.bytes.size(); ++i) {
    digest.bytes[i] = static_cast<uint8_t>(raw[i]);
  }
  return digest;
}

Digest Sha256(absl::string_view bytes) {
  Digest digest;
  unsigned int size = 0;
  GRAPHD_CHECK(EVP_Digest(bytes.data(), bytes.size(), digest.bytes.data(),
                          &size, EVP_sha256(), nullptr) == 1);
  return digest;
}

DigestBuilder::DigestBuilder() : state_(std::make_unique<State>()) {
  GRAPHD_CHECK(EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) == 1);
}

DigestBuilder::~DigestBuilder() = default;

DigestBuilder& DigestBuilder::U8(uint8_t value) {
  state_->Update(&value, 1);
  return *this;
}

DigestBuilder& DigestBuilder::U32(uint32_t value) {
  uint8_t raw[4];
  for (int i = 0; i < 4; ++i) raw[i] = static_cast<uint8_t>(value >> (8 * i));
  state_->Update(raw, sizeof(raw));
  return *this;
}

DigestBuilder& DigestBuilder::U64(uint64_t value) {
  uint8_t raw[8];
  for (int i = 0; i < 8; ++i) raw[i] = static_cast<uint8_t>(value >> (8 * i));
  state_->Update(raw, sizeof(raw));
  return *this;
}

DigestBuilder& DigestBuilder::Bytes(absl::string_view value) {
  U64(value.size());
  state_->Update(value.data(), value.size());
  return *this;
}

DigestBuilder& DigestBuilder::Add(const Digest& value) {
  state_->Update(value.bytes.data(), value.bytes.size());
  return *this;
}

Digest DigestBuilder::Finish() {
  Digest digest;
  unsigned int size = 0;
  GRAPHD_CHECK(
      EVP_DigestFinal_ex(state_->context, digest.bytes.data(), &size) == 1);
  return digest;
}

}  // namespace graphd
