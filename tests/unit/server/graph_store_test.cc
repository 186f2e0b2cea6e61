#include "server/store/graph_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/unit/server/temporary_folder.h"

namespace graphd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const absl::Time kNow = absl::FromUnixSeconds(1'700'000'000);

Digest DigestOf(absl::string_view graph) { return Sha256(graph); }

// Incompressible bytes, above the inline limit.
std::string LargeDefinition(int seed) {
  std::string bytes;
  Digest digest = Sha256(absl::StrCat(seed));
  while (bytes.size() < GraphStore::kInlineLimitBytes + 1000) {
    bytes.append(reinterpret_cast<const char*>(digest.bytes.data()), 32);
    digest = Sha256(bytes.substr(bytes.size() - 32));
  }
  return bytes;
}

class GraphStoreTest : public ::testing::Test {
 protected:
  GraphStoreTest() { Reopen(); }

  void Reopen() {
    store_.reset();
    auto store = GraphStore::Open(folder_.path());
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
  }

  GraphStore::PutResult Put(absl::string_view graph, absl::string_view name,
                            absl::string_view definition = "definition") {
    const auto put =
        store_->Put(DigestOf(graph), definition, "summary", name, kNow);
    EXPECT_TRUE(put.ok()) << put.status();
    return put.value_or(GraphStore::PutResult());
  }

  std::string Resolved(absl::string_view reference) {
    const auto parsed = GraphReference::Parse(reference);
    if (!parsed.ok()) return std::string(parsed.status().message());
    const auto digest = store_->Resolve(*parsed);
    return digest.ok() ? digest->ToString()
                       : std::string(digest.status().message());
  }

  GraphStore::DeleteResult Delete(absl::string_view reference) {
    const auto deleted = store_->Delete(*GraphReference::Parse(reference));
    EXPECT_TRUE(deleted.ok()) << deleted.status();
    return deleted.value_or(GraphStore::DeleteResult());
  }

  std::string TheBlob() {
    std::string found;
    for (const auto& entry :
         std::filesystem::directory_iterator(folder_.path() + "/blobs")) {
      EXPECT_EQ(found, "") << "more than one blob";
      found = entry.path().string();
    }
    return found;
  }

  TemporaryFolder folder_;
  std::unique_ptr<GraphStore> store_;
};

TEST_F(GraphStoreTest, WhatWasPutIsThereAfterReopening) {
  const std::string large = LargeDefinition(1);
  Put("small", "a", "the small one");
  Put("large", "b", large);
  Put("unnamed", "");
  Reopen();
  EXPECT_EQ(Resolved("a"), DigestOf("small").ToString());
  EXPECT_EQ(*store_->GetDefinition(DigestOf("small")), "the small one");
  EXPECT_TRUE(*store_->GetDefinition(DigestOf("large")) == large);
  const auto record = store_->Get(DigestOf("unnamed"));
  ASSERT_TRUE(record.ok());
  EXPECT_EQ(record->summary, "summary");
  EXPECT_EQ(record->created, kNow);
  EXPECT_THAT(record->revisions, IsEmpty());
}

TEST_F(GraphStoreTest, ANameGetsARevisionForEachNewGraph) {
  EXPECT_EQ(Put("one", "n").revision, 1u);
  EXPECT_EQ(Put("two", "n").revision, 2u);
  EXPECT_EQ(Put("two", "n").revision, 2u);  // it points there already
  EXPECT_EQ(Put("one", "n").revision, 3u);
  EXPECT_EQ(Resolved("n"), DigestOf("one").ToString());
  EXPECT_EQ(Resolved("n@2"), DigestOf("two").ToString());
  EXPECT_THAT(Resolved("n@4"), HasSubstr("no revision 4"));
  EXPECT_THAT(Resolved("m"), HasSubstr("no graph named \"m\""));
}

TEST_F(GraphStoreTest, TheNewestDefinitionOfADigestWins) {
  const std::string large = LargeDefinition(2);
  EXPECT_FALSE(Put("g", "", large).existed);
  EXPECT_NE(TheBlob(), "");
  EXPECT_TRUE(Put("g", "", "with other hints").existed);
  EXPECT_EQ(*store_->GetDefinition(DigestOf("g")), "with other hints");
  EXPECT_EQ(TheBlob(), "");
}

TEST_F(GraphStoreTest, ReferencesThatAreNoneAreRefused) {
  for (const char* text :
       {"", "a b", "a@", "a@0", "a@x", "@1", "a@1@2", "sha256:12", "sha256:"}) {
    EXPECT_EQ(GraphReference::Parse(text).status().code(),
              absl::StatusCode::kInvalidArgument)
        << text;
  }
  EXPECT_EQ(
      store_->Put(DigestOf("g"), "d", "s", "bad name", kNow).status().code(),
      absl::StatusCode::kInvalidArgument);
}

TEST_F(GraphStoreTest, DeletingANameDropsWhatNothingElseNames) {
  Put("one", "n");
  Put("two", "n");
  Put("two", "other");
  const auto deleted = Delete("n");
  EXPECT_EQ(deleted.revisions, 2u);
  EXPECT_THAT(deleted.digests, ElementsAre(DigestOf("one")));
  EXPECT_THAT(Resolved("n"), HasSubstr("no graph named"));
  EXPECT_EQ(Resolved("other"), DigestOf("two").ToString());
}

TEST_F(GraphStoreTest, DeletingOneRevisionKeepsTheNumbersOfTheOthers) {
  Put("one", "n");
  Put("two", "n");
  EXPECT_EQ(Delete("n@2").revisions, 1u);
  EXPECT_EQ(Resolved("n"), DigestOf("one").ToString());
  EXPECT_EQ(Put("three", "n").revision, 3u);  // 2 is never given twice
}

TEST_F(GraphStoreTest, DeletingADigestDropsEveryRevisionOfItAndItsBlob) {
  Put("g", "a", LargeDefinition(3));
  Put("g", "b", LargeDefinition(3));
  EXPECT_NE(TheBlob(), "");
  const auto deleted = Delete(DigestOf("g").ToString());
  EXPECT_EQ(deleted.revisions, 2u);
  EXPECT_THAT(deleted.digests, ElementsAre(DigestOf("g")));
  EXPECT_EQ(TheBlob(), "");
  EXPECT_EQ(store_->Delete(*GraphReference::Parse("a")).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(GraphStoreTest, PagesListNamesFirstAndEveryGraphOnce) {
  for (int i = 0; i < 5; ++i) Put(absl::StrCat("n", i), absl::StrCat("n", i));
  for (int i = 0; i < 4; ++i) Put(absl::StrCat("u", i), "");
  Put("replaced", "n0");  // n0@1 is now a graph that no name points at
  for (size_t size : {1u, 2u, 3u, 5u, 10u, 100u}) {
    std::string listed;
    size_t unnamed = 0;
    std::string token;
    do {
      const auto page = store_->List(size, token);
      ASSERT_TRUE(page.ok()) << page.status();
      EXPECT_LE(page->records.size(), size);
      for (const GraphStore::Record& record : page->records) {
        const bool named =
            !record.revisions.empty() && record.revisions[0].latest;
        if (named) {
          EXPECT_EQ(unnamed, 0u) << "a name after a graph without one";
          absl::StrAppend(&listed, record.revisions[0].name, "@",
                          record.revisions[0].revision, " ");
        } else {
          ++unnamed;
        }
      }
      token = page->next_token;
    } while (!token.empty());
    EXPECT_EQ(listed, "n0@2 n1@1 n2@1 n3@1 n4@1 ") << size;
    EXPECT_EQ(unnamed, 5u) << size;
  }
  EXPECT_EQ(store_->List(10, "nonsense").status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(GraphStoreTest, AFlippedByteInABlobIsDataLossThatNamesTheDigest) {
  Put("g", "", LargeDefinition(4));
  const std::string path = TheBlob();
  const auto size = std::filesystem::file_size(path);
  for (const uint64_t at : {uint64_t{0}, uint64_t{5}, size / 2, size - 1}) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const char byte = static_cast<char>(file.get());
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(byte ^ 1));
    file.flush();
    const auto read = store_->GetDefinition(DigestOf("g"));
    EXPECT_EQ(read.status().code(), absl::StatusCode::kDataLoss) << at;
    EXPECT_THAT(std::string(read.status().message()),
                HasSubstr(DigestOf("g").ToString()));
    file.seekp(static_cast<std::streamoff>(at));
    file.put(byte);
    file.flush();
    EXPECT_TRUE(store_->GetDefinition(DigestOf("g")).ok());
  }
}

TEST_F(GraphStoreTest, ATornOrMissingBlobIsDataLossAndTheRestKeepsWorking) {
  Put("g", "", LargeDefinition(5));
  const std::string path = TheBlob();
  std::filesystem::resize_file(path, 1000);
  EXPECT_EQ(store_->GetDefinition(DigestOf("g")).status().code(),
            absl::StatusCode::kDataLoss);
  std::filesystem::remove(path);
  EXPECT_EQ(store_->GetDefinition(DigestOf("g")).status().code(),
            absl::StatusCode::kDataLoss);
  Put("other", "n");
  EXPECT_TRUE(store_->GetDefinition(DigestOf("other")).ok());
  // Submitting it again repairs it.
  Put("g", "", LargeDefinition(5));
  EXPECT_TRUE(store_->GetDefinition(DigestOf("g")).ok());
}

TEST_F(GraphStoreTest, WhatACrashLeavesInTheBlobFolderIsRemoved) {
  Put("g", "", LargeDefinition(6));
  store_.reset();
  const std::string blobs = folder_.path() + "/blobs/";
  std::ofstream(blobs + "tmp-1-1") << "half written";
  std::ofstream(blobs + DigestOf("orphan").ToString().substr(7) + ".zst")
      << "never committed";
  Reopen();
  EXPECT_NE(TheBlob(), "");  // the only one left
  EXPECT_TRUE(store_->GetDefinition(DigestOf("g")).ok());
}

TEST_F(GraphStoreTest, ASecondProcessIsRefused) {
  const auto second = GraphStore::Open(folder_.path());
  EXPECT_EQ(second.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(second.status().message()),
              HasSubstr("another graphd uses it"));
}

TEST_F(GraphStoreTest, ADatabaseThatIsNoneIsAnError) {
  store_.reset();
  for (const char* name : {"graphs.db", "graphs.db-wal", "graphs.db-shm"}) {
    std::filesystem::remove(absl::StrCat(folder_.path(), "/", name));
  }
  std::ofstream(folder_.path() + "/graphs.db") << std::string(8192, 'x');
  EXPECT_EQ(GraphStore::Open(folder_.path()).status().code(),
            absl::StatusCode::kDataLoss);
}

TEST_F(GraphStoreTest, AnAnswerIsGivenAgainForAnHour) {
  const Digest content = Sha256("content");
  ASSERT_TRUE(store_->KeepAnswer("id", content, "answer", kNow).ok());
  Reopen();
  EXPECT_EQ(*store_->FindAnswer("id", content, kNow - absl::Hours(1)),
            "answer");
  EXPECT_EQ(*store_->FindAnswer("id", content, kNow + absl::Seconds(1)),
            std::nullopt);
  EXPECT_EQ(*store_->FindAnswer("another", content, kNow), std::nullopt);
  EXPECT_EQ(store_->FindAnswer("id", Sha256("other"), kNow).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace graphd
