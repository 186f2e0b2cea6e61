#include "server/workers/shared_region.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <utility>

namespace graphd {
namespace {

TEST(SharedRegionTest, BothSidesSeeTheSameBytes) {
  auto ours = SharedRegion::Create(10000);
  ASSERT_TRUE(ours.ok()) << ours.status();
  auto theirs = SharedRegion::Map(
      Descriptor(fcntl((*ours)->descriptor(), F_DUPFD_CLOEXEC, 0)));
  ASSERT_TRUE(theirs.ok()) << theirs.status();
  EXPECT_EQ((*theirs)->size_bytes(), 12288u);  // whole pages
  std::memcpy((*ours)->data() + 5000, "hello", 5);
  EXPECT_EQ(std::memcmp((*theirs)->data() + 5000, "hello", 5), 0);
}

TEST(SharedRegionTest, TheSizeCannotBeChangedByEitherSide) {
  auto region = SharedRegion::Create(8192);
  ASSERT_TRUE(region.ok());
  EXPECT_NE(ftruncate((*region)->descriptor(), 4096), 0);
  EXPECT_NE(ftruncate((*region)->descriptor(), 16384), 0);
}

TEST(SharedRegionTest, MemoryThatIsNotSealedIsRefused) {
  Descriptor unsealed(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(ftruncate(unsealed.number(), 4096), 0);
  EXPECT_EQ(SharedRegion::Map(std::move(unsealed)).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(SharedRegionTest, AnEmptyMemoryIsRefused) {
  Descriptor empty(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(fcntl(empty.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
  EXPECT_EQ(SharedRegion::Map(std::move(empty)).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(SharedRegionTest, SomethingThatIsNoMemoryIsRefused) {
  EXPECT_EQ(SharedRegion::Map(Descriptor(open("/dev/null", O_RDWR | O_CLOEXEC)))
                .status()
                .code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(SharedRegionTest, SlicesStayInside) {
  auto region = SharedRegion::Create(4096);
  ASSERT_TRUE(region.ok());
  EXPECT_TRUE((*region)->Slice(0, 4096).ok());
  EXPECT_TRUE((*region)->Slice(4096, 0).ok());
  EXPECT_FALSE((*region)->Slice(1, 4096).ok());
  EXPECT_FALSE((*region)->Slice(4097, 0).ok());
  // The sum wraps around.
  EXPECT_FALSE((*region)->Slice(16, UINT64_MAX - 8).ok());
  EXPECT_FALSE((*region)->Slice(UINT64_MAX, 16).ok());
}

TEST(SharedRegionTest, MoreThanThereCanBeIsAnError) {
  EXPECT_EQ(SharedRegion::Create(UINT64_MAX).status().code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace graphd
