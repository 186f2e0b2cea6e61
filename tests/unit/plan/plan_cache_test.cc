#include "core/plan/plan_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace graphd {
namespace {

Digest Key(int number) { return Sha256(std::to_string(number)); }

PlanCache::Maker Makes(const std::string& plan, int* calls = nullptr) {
  return [plan, calls]() -> absl::StatusOr<PlanCache::Entry> {
    if (calls != nullptr) ++*calls;
    return PlanCache::Entry{Sha256(plan), plan, "because"};
  };
}

TEST(PlanCacheTest, APlanIsMadeOnce) {
  PlanCache cache(1 << 20);
  int calls = 0;
  const auto first = cache.GetOrMake(Key(1), Makes("plan", &calls));
  const auto second = cache.GetOrMake(Key(1), Makes("other", &calls));
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(first->cached);
  EXPECT_TRUE(second->cached);
  EXPECT_EQ(second->entry, first->entry);
  EXPECT_EQ(second->entry->plan, "plan");
}

TEST(PlanCacheTest, EqualRequestsInFlightAreMadeOnce) {
  PlanCache cache(1 << 20);
  std::atomic<int> calls{0};
  std::atomic<int> asked{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      ++asked;
      const auto found =
          cache.GetOrMake(Key(1), [&]() -> absl::StatusOr<PlanCache::Entry> {
            ++calls;
            while (asked < 8) std::this_thread::yield();
            return PlanCache::Entry{Digest(), "plan", ""};
          });
      ASSERT_TRUE(found.ok());
      EXPECT_EQ(found->entry->plan, "plan");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(calls, 1);
}

TEST(PlanCacheTest, AFailureIsNotKept) {
  PlanCache cache(1 << 20);
  const auto failed =
      cache.GetOrMake(Key(1), []() -> absl::StatusOr<PlanCache::Entry> {
        return absl::UnavailableError("the compiler ended");
      });
  EXPECT_EQ(failed.status().message(), "the compiler ended");
  EXPECT_TRUE(cache.GetOrMake(Key(1), Makes("plan")).ok());
}

TEST(PlanCacheTest, TheLeastRecentlyUsedGoesFirst) {
  const std::string large(1000, 'x');
  PlanCache cache(2500);
  int calls = 0;
  ASSERT_TRUE(cache.GetOrMake(Key(1), Makes(large, &calls)).ok());
  ASSERT_TRUE(cache.GetOrMake(Key(2), Makes(large, &calls)).ok());
  const auto one = cache.GetOrMake(Key(1), Makes(large, &calls));
  ASSERT_TRUE(cache.GetOrMake(Key(3), Makes(large, &calls)).ok());
  EXPECT_EQ(cache.counts().evictions, 1u);
  EXPECT_LE(cache.counts().bytes, 2500u);
  EXPECT_EQ(calls, 3);
  EXPECT_TRUE(cache.GetOrMake(Key(1), Makes(large, &calls))->cached);
  EXPECT_FALSE(cache.GetOrMake(Key(2), Makes(large, &calls))->cached);
  EXPECT_EQ(one->entry->plan, large);  // held, whatever the cache does
}

TEST(PlanCacheTest, APlanAboveTheLimitIsKeptUntilTheNext) {
  PlanCache cache(10);
  ASSERT_TRUE(cache.GetOrMake(Key(1), Makes("a plan above the limit")).ok());
  EXPECT_TRUE(cache.GetOrMake(Key(1), Makes("never made"))->cached);
}

TEST(PlanKeyTest, EverythingThatMayChangeAPlanChangesTheKey) {
  PlanKey key;
  key.graph = Sha256("g");
  const Digest base = key.ToDigest();
  std::vector<PlanKey> others(9, key);
  others[0].graph = Sha256("h");
  others[1].hints = Sha256("h");
  others[2].streams = 2;
  others[3].skip_passes = {"fuse-kernels"};
  others[4].device.device_class = DeviceClass::kCuda;
  others[5].device.capability_minor = 6;
  others[6].device.sm_count = 132;
  others[7].device.max_grid[1] = 1;
  others[8].compiler_version = "2";
  for (const PlanKey& other : others) EXPECT_NE(other.ToDigest(), base);
}

TEST(PlanKeyTest, WhatDoesNotChangeAPlanDoesNotChangeTheKey) {
  PlanKey key;
  key.skip_passes = {"a", "b"};
  PlanKey other;
  other.skip_passes = {"b", "a", "b"};
  other.device.name = "another name";
  other.device.uuid = "another uuid";
  EXPECT_EQ(key.ToDigest(), other.ToDigest());
}

}  // namespace
}  // namespace graphd
