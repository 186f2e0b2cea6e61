#include "client/graphctl/tensor_file.h"

#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/graphctl/file_bytes.h"
#include "core/base/status_macros.h"

namespace graphd::graphctl {
namespace {

constexpr absl::string_view kMagic("\x93NUMPY", 6);
constexpr size_t kLongestHeaderBytes = 1 << 20;
constexpr size_t kMostDimensions = 32;
constexpr size_t kAlignment = 64;

struct TypeCode {
  absl::string_view code;  // without the byte order
  ScalarType type;
};
constexpr TypeCode kTypeCodes[] = {
    {"i1", ScalarType::kS8},  {"u1", ScalarType::kU8},
    {"i2", ScalarType::kS16}, {"u2", ScalarType::kU16},
    {"i4", ScalarType::kS32}, {"u4", ScalarType::kU32},
    {"i8", ScalarType::kS64}, {"u8", ScalarType::kU64},
    {"f2", ScalarType::kF16}, {"V2", ScalarType::kBF16},
    {"f4", ScalarType::kF32}, {"f8", ScalarType::kF64},
    {"b1", ScalarType::kBool}};

std::string Quoted(absl::string_view text) {
  return absl::StrCat("\"", absl::CEscape(text.substr(0, 80)), "\"");
}

absl::StatusOr<ScalarType> ParseDescr(absl::string_view descr) {
  const absl::string_view code = descr.empty() ? descr : descr.substr(1);
  for (const TypeCode& row : kTypeCodes) {
    if (row.code != code) continue;
    const bool one_byte = SizeBytes(row.type) == 1;
    if (descr[0] == '<' || (descr[0] == '|' && (one_byte || code == "V2"))) {
      return row.type;
    }
    if (descr[0] == '>' && !one_byte) {
      return absl::InvalidArgumentError(absl::StrCat(
          "descr ", Quoted(descr),
          " is big-endian; expected little-endian data, \"<", code, "\""));
    }
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "descr ", Quoted(descr),
      " is no element type of graphd; expected one of i1 i2 i4 i8 u1 u2 u4 u8 "
      "f2 f4 f8 b1 V2 (bfloat16), little-endian"));
}

// The header: a Python dictionary with three keys, read without Python.
class HeaderReader {
 public:
  explicit HeaderReader(absl::string_view text) : text_(text) {}

  struct Header {
    std::optional<std::string> descr;
    std::optional<bool> fortran_order;
    std::optional<std::vector<uint64_t>> shape;
  };

  absl::StatusOr<Header> Read() {
    Header header;
    GRAPHD_RETURN_IF_ERROR(Expect('{'));
    while (!Accept('}')) {
      GRAPHD_RETURN_IF_ERROR(ReadItem(header));
      if (Accept(',')) continue;
      GRAPHD_RETURN_IF_ERROR(Expect('}'));
      break;
    }
    SkipSpace();
    if (position_ != text_.size()) return Found("the end of the header");
    if (!header.descr.has_value()) return Missing("descr");
    if (!header.fortran_order.has_value()) return Missing("fortran_order");
    if (!header.shape.has_value()) return Missing("shape");
    return header;
  }

 private:
  absl::Status ReadItem(Header& header) {
    GRAPHD_ASSIGN_OR_RETURN(const std::string key, ReadString());
    GRAPHD_RETURN_IF_ERROR(Expect(':'));
    const bool again =
        (key == "descr" && header.descr.has_value()) ||
        (key == "fortran_order" && header.fortran_order.has_value()) ||
        (key == "shape" && header.shape.has_value());
    if (again) {
      return absl::InvalidArgumentError(
          absl::StrCat("header has key ", Quoted(key), " twice"));
    }
    if (key == "descr") {
      SkipSpace();
      if (Peek() == '[') {
        return absl::InvalidArgumentError(
            "descr is a structured type; expected elements of one scalar type");
      }
      GRAPHD_ASSIGN_OR_RETURN(header.descr, ReadString());
    } else if (key == "fortran_order") {
      GRAPHD_ASSIGN_OR_RETURN(header.fortran_order, ReadBool());
    } else if (key == "shape") {
      GRAPHD_ASSIGN_OR_RETURN(header.shape, ReadShape());
    } else {
      return absl::InvalidArgumentError(absl::StrCat(
          "header has key ", Quoted(key),
          "; expected \"descr\", \"fortran_order\" and \"shape\""));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> ReadString() {
    SkipSpace();
    const char quote = Peek();
    if (quote != '\'' && quote != '"') return Found("a string");
    const size_t end = text_.find(quote, position_ + 1);
    if (end == absl::string_view::npos) return Found("a string that ends");
    const absl::string_view content =
        text_.substr(position_ + 1, end - position_ - 1);
    if (absl::StrContains(content, "\\")) {
      return Found("a string without escapes");
    }
    position_ = end + 1;
    return std::string(content);
  }

  absl::StatusOr<bool> ReadBool() {
    SkipSpace();
    for (const bool value : {true, false}) {
      const absl::string_view word = value ? "True" : "False";
      if (absl::StartsWith(text_.substr(position_), word)) {
        position_ += word.size();
        return value;
      }
    }
    return Found("True or False");
  }

  absl::StatusOr<std::vector<uint64_t>> ReadShape() {
    std::vector<uint64_t> shape;
    GRAPHD_RETURN_IF_ERROR(Expect('('));
    while (!Accept(')')) {
      GRAPHD_ASSIGN_OR_RETURN(const uint64_t extent, ReadNumber());
      if (shape.size() == kMostDimensions) {
        return absl::InvalidArgumentError(absl::StrCat(
            "shape has more than ", kMostDimensions, " dimensions"));
      }
      shape.push_back(extent);
      if (Accept(',')) continue;
      // A tuple of one needs its comma: (7) is a number.
      if (shape.size() == 1) return Found("\",\" in a shape of one dimension");
      GRAPHD_RETURN_IF_ERROR(Expect(')'));
      break;
    }
    return shape;
  }

  absl::StatusOr<uint64_t> ReadNumber() {
    SkipSpace();
    const size_t start = position_;
    while (Peek() >= '0' && Peek() <= '9') ++position_;
    const absl::string_view digits = text_.substr(start, position_ - start);
    uint64_t number = 0;
    if (digits.empty()) return Found("a number of elements");
    if (!absl::SimpleAtoi(digits, &number)) {
      return absl::InvalidArgumentError(
          absl::StrCat("shape has an extent of ", digits.substr(0, 40),
                       ", which does not fit 64 bits"));
    }
    return number;
  }

  void SkipSpace() {
    while (Peek() == ' ' || Peek() == '\n' || Peek() == '\t') ++position_;
  }
  bool Accept(char c) {
    SkipSpace();
    if (Peek() != c || position_ == text_.size()) return false;
    ++position_;
    return true;
  }
  absl::Status Expect(char c) {
    if (Accept(c)) return absl::OkStatus();
    return Found(absl::StrCat("\"", std::string(1, c), "\""));
  }
  char Peek() const {
    return position_ < text_.size() ? text_[position_] : '\0';
  }
  absl::Status Found(absl::string_view expected) const {
    const absl::string_view rest = text_.substr(position_, 16);
    return absl::InvalidArgumentError(
        absl::StrCat("header, column ", position_ + 1, ": expected ", expected,
                     ", found ", rest.empty() ? "its end" : Quoted(rest)));
  }
  static absl::Status Missing(absl::string_view key) {
    return absl::InvalidArgumentError(
        absl::StrCat("header lacks key \"", key, "\""));
  }

  absl::string_view text_;
  size_t position_ = 0;
};

uint64_t LittleEndian(absl::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

// The header's text; `bytes` becomes what follows it.
absl::StatusOr<absl::string_view> SplitHeader(absl::string_view& bytes) {
  if (!absl::StartsWith(bytes, kMagic)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "not an .npy file: expected it to begin with \"\\x93NUMPY\", found ",
        bytes.empty() ? "nothing" : Quoted(bytes.substr(0, kMagic.size()))));
  }
  if (bytes.size() < 8) {
    return absl::InvalidArgumentError("ends inside its version");
  }
  const int major = static_cast<unsigned char>(bytes[6]);
  const int minor = static_cast<unsigned char>(bytes[7]);
  if (major < 1 || major > 3 || minor != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected .npy version 1.0, 2.0 or 3.0, found ", major, ".", minor));
  }
  const size_t width = major == 1 ? 2 : 4;
  if (bytes.size() < 8 + width) {
    return absl::InvalidArgumentError("ends inside the length of its header");
  }
  const uint64_t length = LittleEndian(bytes.substr(8, width));
  if (length > kLongestHeaderBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a header of at most ", kLongestHeaderBytes,
                     " bytes, found ", length));
  }
  bytes.remove_prefix(8 + width);
  if (bytes.size() < length) {
    return absl::InvalidArgumentError(
        absl::StrCat("ends inside its header: expected ", length,
                     " bytes, found ", bytes.size()));
  }
  const absl::string_view header = bytes.substr(0, length);
  bytes.remove_prefix(length);
  return header;
}

}  // namespace

Scalar Tensor::at(uint64_t index) const {
  const uint32_t width = SizeBytes(type);
  return Scalar{
      type, LittleEndian(absl::string_view(data).substr(index * width, width))};
}

std::string Tensor::ShapeText() const {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", shape[i]);
  }
  absl::StrAppend(&text, shape.size() == 1 ? ",)" : ")");
  return text;
}

absl::StatusOr<uint64_t> DenseBytes(ScalarType type,
                                    const std::vector<uint64_t>& shape) {
  if (shape.size() > kMostDimensions) {
    return absl::InvalidArgumentError(
        absl::StrCat("shape has ", shape.size(),
                     " dimensions; expected at most ", kMostDimensions));
  }
  uint64_t bytes = SizeBytes(type);
  bool empty = false;
  for (const uint64_t extent : shape) {
    empty = empty || extent == 0;
    if (extent != 0 &&
        bytes > uint64_t{std::numeric_limits<int64_t>::max()} / extent) {
      return absl::InvalidArgumentError(
          "shape has more than 2^63 - 1 bytes of elements");
    }
    bytes *= extent == 0 ? 1 : extent;
  }
  return empty ? 0 : bytes;
}

absl::StatusOr<Tensor> ParseNpy(absl::string_view bytes) {
  GRAPHD_ASSIGN_OR_RETURN(const absl::string_view text, SplitHeader(bytes));
  GRAPHD_ASSIGN_OR_RETURN(HeaderReader::Header header,
                          HeaderReader(text).Read());
  Tensor tensor;
  GRAPHD_ASSIGN_OR_RETURN(tensor.type, ParseDescr(*header.descr));
  tensor.shape = *std::move(header.shape);
  if (*header.fortran_order && tensor.shape.size() > 1) {
    return absl::InvalidArgumentError(
        "array is in Fortran order (column-major); expected C order: save "
        "numpy.ascontiguousarray(x)");
  }
  GRAPHD_ASSIGN_OR_RETURN(const uint64_t expected,
                          DenseBytes(tensor.type, tensor.shape));
  if (bytes.size() != expected) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected ", expected, " bytes of data for ", Name(tensor.type), " ",
        tensor.ShapeText(), ", found ", bytes.size()));
  }
  if (tensor.type == ScalarType::kBool) {
    for (size_t i = 0; i < bytes.size(); ++i) {
      if (static_cast<unsigned char>(bytes[i]) > 1) {
        return absl::InvalidArgumentError(absl::StrCat(
            "element ", i, " of a bool array: expected 0 or 1, found ",
            static_cast<int>(static_cast<unsigned char>(bytes[i]))));
      }
    }
  }
  tensor.data.assign(bytes.data(), bytes.size());
  return tensor;
}

std::string WriteNpy(const Tensor& tensor) {
  absl::string_view code;
  for (const TypeCode& row : kTypeCodes) {
    if (row.type == tensor.type) code = row.code;
  }
  std::string header = absl::StrCat(
      "{'descr': '", SizeBytes(tensor.type) == 1 ? "|" : "<", code,
      "', 'fortran_order': False, 'shape': ", tensor.ShapeText(), ", }");
  const size_t unpadded = kMagic.size() + 4 + header.size() + 1;
  header.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  header.push_back('\n');
  std::string file(kMagic);
  file.append({'\x01', '\x00', static_cast<char>(header.size() & 0xff),
               static_cast<char>(header.size() >> 8)});
  file.append(header);
  file.append(tensor.data);
  return file;
}

absl::StatusOr<Tensor> ReadTensorFile(const std::string& path) {
  GRAPHD_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  auto tensor = ParseNpy(bytes);
  if (tensor.ok()) return tensor;
  return absl::Status(
      tensor.status().code(),
      absl::StrCat(path == "-" ? "standard input" : absl::CEscape(path), ": ",
                   tensor.status().message()));
}

absl::Status WriteTensorFile(const std::string& path, const Tensor& tensor) {
  return WriteFile(path, WriteNpy(tensor));
}

}  // namespace graphd::graphctl
