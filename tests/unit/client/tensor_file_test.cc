#include "client/graphctl/tensor_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "absl/strings/str_cat.h"
#include "tests/unit/client/canned_services.h"

namespace graphd::graphctl {
namespace {

using ::testing::HasSubstr;

// An .npy file around the given header and data.
std::string Npy(const std::string& header, const std::string& data,
                char major = 1) {
  std::string file("\x93NUMPY", 6);
  file.append({major, '\0'});
  const size_t width = major == 1 ? 2 : 4;
  for (size_t i = 0; i < width; ++i) {
    file.push_back(static_cast<char>(header.size() >> (8 * i)));
  }
  return file + header + data;
}

std::string Header(const std::string& descr, const std::string& shape) {
  return absl::StrCat("{'descr': '", descr,
                      "', 'fortran_order': False, 'shape': ", shape, ", }  \n");
}

std::string ErrorOf(const std::string& bytes) {
  const auto tensor = ParseNpy(bytes);
  EXPECT_FALSE(tensor.ok());
  EXPECT_TRUE(tensor.ok() || absl::IsInvalidArgument(tensor.status()));
  return tensor.ok() ? "" : std::string(tensor.status().message());
}

TEST(TensorFileTest, EveryVersionIsRead) {
  for (const char major : {'\x01', '\x02', '\x03'}) {
    const auto tensor = ParseNpy(Npy(Header("<i2", "(2, 1)"), "abcd", major));
    ASSERT_TRUE(tensor.ok()) << tensor.status();
    EXPECT_EQ(tensor->type, ScalarType::kS16);
    EXPECT_EQ(tensor->shape, (std::vector<uint64_t>{2, 1}));
    EXPECT_EQ(tensor->data, "abcd");
  }
}

TEST(TensorFileTest, WhatIsWrittenReadsBackForEveryType) {
  for (int i = 1; i <= static_cast<int>(ScalarType::kBool); ++i) {
    Tensor tensor;
    tensor.type = static_cast<ScalarType>(i);
    tensor.shape = {3};
    tensor.data = std::string(3 * SizeBytes(tensor.type), '\x01');
    const std::string file = WriteNpy(tensor);
    EXPECT_EQ((file.size() - tensor.data.size()) % 64, 0u);
    const auto again = ParseNpy(file);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again->type, tensor.type);
    EXPECT_EQ(again->shape, tensor.shape);
    EXPECT_EQ(again->data, tensor.data);
  }
}

TEST(TensorFileTest, TheWrittenHeaderIsNumPys) {
  const Tensor tensor{ScalarType::kF32, {3}, std::string(12, '\0')};
  EXPECT_THAT(
      WriteNpy(tensor),
      HasSubstr("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"));
}

TEST(TensorFileTest, AScalarAndAnEmptyArrayAreRead) {
  const auto scalar = ParseNpy(Npy(Header("<f8", "()"), "12345678"));
  ASSERT_TRUE(scalar.ok()) << scalar.status();
  EXPECT_EQ(scalar->elements(), 1u);
  const auto empty = ParseNpy(Npy(Header("<f8", "(0, 4)"), ""));
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_EQ(empty->elements(), 0u);
}

TEST(TensorFileTest, KeysMayComeInAnyOrderAndInDoubleQuotes) {
  const auto tensor = ParseNpy(
      Npy("{\"shape\":(1,),\"descr\":\"|u1\",\"fortran_order\":True}\n", "a"));
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_EQ(tensor->type, ScalarType::kU8);
}

TEST(TensorFileTest, WrongMagicAndVersionAreRefused) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("not an .npy file"));
  EXPECT_THAT(ErrorOf("PK\x03\x04 zipped"), HasSubstr("not an .npy file"));
  EXPECT_THAT(ErrorOf(Npy(Header("<f4", "(1,)"), "abcd", 4)),
              HasSubstr("found 4.0"));
}

TEST(TensorFileTest, EveryTruncationIsRefused) {
  const std::string file = Npy(Header("<f4", "(2,)"), "abcdefgh");
  for (size_t length = 0; length < file.size(); ++length) {
    EXPECT_FALSE(ParseNpy(file.substr(0, length)).ok()) << length;
  }
  EXPECT_THAT(ErrorOf(file.substr(0, file.size() - 1)),
              HasSubstr("expected 8 bytes of data for f32 (2,), found 7"));
  EXPECT_THAT(ErrorOf(file + "x"), HasSubstr("found 9"));
}

TEST(TensorFileTest, AHugeHeaderIsRefusedBeforeItIsRead) {
  EXPECT_THAT(ErrorOf(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{", 13)),
              HasSubstr("found 4294967295"));
}

TEST(TensorFileTest, BadElementTypesAreRefusedByName) {
  for (const char* descr : {"<c8", "|O", "<U4", "<f16", "f4", "", "<m8"}) {
    EXPECT_THAT(ErrorOf(Npy(Header(descr, "(1,)"), "abcd")),
                HasSubstr(absl::StrCat("\"", descr, "\"")));
  }
  EXPECT_THAT(ErrorOf(Npy(Header(">f4", "(1,)"), "abcd")),
              HasSubstr("big-endian"));
  EXPECT_THAT(ErrorOf(Npy("{'descr': [('a', '<f4')], 'fortran_order': False, "
                          "'shape': (1,)}\n",
                          "abcd")),
              HasSubstr("structured type"));
}

TEST(TensorFileTest, FortranOrderIsRefusedWithARemedy) {
  EXPECT_THAT(
      ErrorOf(Npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 2)}\n",
                  "abcd")),
      HasSubstr("ascontiguousarray"));
}

TEST(TensorFileTest, AShapeThatOverflowsIsRefused) {
  EXPECT_THAT(ErrorOf(Npy(Header("<f8", "(4294967296, 4294967296)"), "")),
              HasSubstr("2^63 - 1"));
  EXPECT_THAT(ErrorOf(Npy(Header("<f8", "(0, 4294967296, 4294967296)"), "")),
              HasSubstr("2^63 - 1"));
  EXPECT_THAT(ErrorOf(Npy(Header("<f8", "(99999999999999999999,)"), "")),
              HasSubstr("does not fit 64 bits"));
  std::string deep = "(";
  for (int i = 0; i < 33; ++i) deep += "1, ";
  EXPECT_THAT(ErrorOf(Npy(Header("|u1", deep + ")"), "a")),
              HasSubstr("32 dimensions"));
}

TEST(TensorFileTest, MalformedHeadersAreRefusedWithTheColumn) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "column 1: expected \"{\""},
      {"{'descr': '<f4', 'fortran_order': False}", "lacks key \"shape\""},
      {"{'descr': '<f4', 'descr': '<f4'}", "twice"},
      {"{'descr': '<f4', 'more': 1}", "key \"more\""},
      {"{'descr': '<f4", "a string that ends"},
      {"{'descr': '\\x3cf4'}", "without escapes"},
      {"{'fortran_order': 0}", "True or False"},
      {"{'shape': (1)}", "shape of one dimension"},
      {"{'shape': (-1,)}", "a number of elements"},
      {"{'shape': (1, 2}", "expected \")\""},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
       "the end of the header"},
  };
  for (const auto& [header, expected] : cases) {
    EXPECT_THAT(ErrorOf(Npy(header, "abcd")), HasSubstr(expected)) << header;
  }
}

TEST(TensorFileTest, ABoolIsZeroOrOne) {
  EXPECT_THAT(ErrorOf(Npy(Header("|b1", "(2,)"), std::string("\x01\x02", 2))),
              HasSubstr("element 1 of a bool array: expected 0 or 1, found 2"));
}

TEST(TensorFileTest, FilesAppearWholeAndErrorsNameThem) {
  TemporaryFolder folder;
  const std::string path = folder / "x.npy";
  const Tensor tensor{ScalarType::kU8, {4}, "abcd"};
  ASSERT_TRUE(WriteTensorFile(path, tensor).ok());
  const auto again = ReadTensorFile(path);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->data, "abcd");
  EXPECT_THAT(std::string(ReadTensorFile(folder / "no.npy").status().message()),
              HasSubstr("no.npy"));
  EXPECT_FALSE(WriteTensorFile(folder / "absent/x.npy", tensor).ok());
  EXPECT_TRUE(WriteTensorFile("/dev/null", tensor).ok());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  std::ofstream(path) << "not an array";
  EXPECT_THAT(std::string(ReadTensorFile(path).status().message()),
              HasSubstr("x.npy: not an .npy file"));
}

}  // namespace
}  // namespace graphd::graphctl
