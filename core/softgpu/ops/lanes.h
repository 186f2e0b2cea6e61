// Applies a function of scalars to whole registers, lane by lane, in loops that
// compilers vectorise.
//
// Compiled once for every instruction set, in the namespace that
// GRAPHD_INSTRUCTION_SET names. Includes nothing whose inline functions another
// file could share.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_SOFTGPU_OPS_LANES_H_
#define GRAPHD_CORE_SOFTGPU_OPS_LANES_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/softgpu/ops/op_key.h"

#ifdef __clang__
#define GRAPHD_LANE_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define GRAPHD_LANE_LOOP _Pragma("GCC ivdep")
#endif

namespace graphd::softgpu::GRAPHD_INSTRUCTION_SET {

// The bits of an IEEE binary16.
struct __attribute__((may_alias)) Half {
  uint16_t bits;
};

// A register holds whatever type the last instruction wrote.
template <class T>
struct LaneOf {
  typedef T __attribute__((may_alias)) type;
};
template <>
struct LaneOf<Half> {
  using type = Half;
};
template <class T>
using Lane = typename LaneOf<T>::type;

template <auto F>
struct Apply;

template <class D, class... A, D (*F)(A...)>
struct Apply<F> {
  static void Run(uint32_t lanes, const uint8_t* mask, void* destination,
                  const void* const* sources) {
    Loop(lanes, mask, static_cast<Lane<D>*>(destination), sources,
         std::make_index_sequence<sizeof...(A)>());
  }

 private:
  template <size_t... I>
  static void Loop(uint32_t lanes, const uint8_t* mask, Lane<D>* out,
                   const void* const* sources, std::index_sequence<I...>) {
    Loop(lanes, mask, out, static_cast<const Lane<A>*>(sources[I])...);
  }

  static void Loop(uint32_t lanes, const uint8_t* mask, Lane<D>* out,
                   const Lane<A>*... in) {
    if (mask == nullptr) {
      GRAPHD_LANE_LOOP
      for (uint32_t i = 0; i < lanes; ++i) out[i] = F(in[i]...);
    } else {
      GRAPHD_LANE_LOOP
      for (uint32_t i = 0; i < lanes; ++i) {
        out[i] = mask[i] != 0 ? F(in[i]...) : out[i];
      }
    }
  }
};

template <auto F>
constexpr OpFunction kApply = &Apply<F>::Run;

// Parts of FindOp, by family; null when the key belongs to another.
OpFunction FindInteger(const OpKey& key);
OpFunction FindWideInteger(const OpKey& key);
OpFunction FindFloat(const OpKey& key);
OpFunction FindFloatFunction(const OpKey& key);
OpFunction FindComparison(const OpKey& key);
OpFunction FindBits(const OpKey& key);
OpFunction FindMove(const OpKey& key);
OpFunction FindConversion(const OpKey& key);

}  // namespace graphd::softgpu::GRAPHD_INSTRUCTION_SET

#endif  // GRAPHD_CORE_SOFTGPU_OPS_LANES_H_
