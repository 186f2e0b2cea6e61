// Signedness and double widths of the integer types.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_SOFTGPU_OPS_INTEGERS_H_
#define GRAPHD_CORE_SOFTGPU_OPS_INTEGERS_H_

#include <cstdint>

namespace graphd::softgpu::GRAPHD_INSTRUCTION_SET {

template <class T>
struct IntegerTraits;
#define GRAPHD_INTEGER(T, UNSIGNED, WIDE, SIGNED) \
  template <>                                     \
  struct IntegerTraits<T> {                       \
    using Unsigned = UNSIGNED;                    \
    using Wide = WIDE;                            \
    static constexpr bool kSigned = SIGNED;       \
  };
GRAPHD_INTEGER(uint8_t, uint8_t, uint16_t, false)
GRAPHD_INTEGER(int8_t, uint8_t, int16_t, true)
GRAPHD_INTEGER(uint16_t, uint16_t, uint32_t, false)
GRAPHD_INTEGER(int16_t, uint16_t, int32_t, true)
GRAPHD_INTEGER(uint32_t, uint32_t, uint64_t, false)
GRAPHD_INTEGER(int32_t, uint32_t, int64_t, true)
GRAPHD_INTEGER(uint64_t, uint64_t, unsigned __int128, false)
GRAPHD_INTEGER(int64_t, uint64_t, __int128, true)
#undef GRAPHD_INTEGER

template <class T>
using Unsigned = typename IntegerTraits<T>::Unsigned;
template <class T>
using Wide = typename IntegerTraits<T>::Wide;
template <class T>
constexpr bool kIsSigned = IntegerTraits<T>::kSigned;
template <class T>
constexpr int kBits = 8 * sizeof(T);

inline int32_t Clamp32(int64_t value) {
  return static_cast<int32_t>(value < INT32_MIN   ? INT32_MIN
                              : value > INT32_MAX ? INT32_MAX
                                                  : value);
}

}  // namespace graphd::softgpu::GRAPHD_INSTRUCTION_SET

#endif  // GRAPHD_CORE_SOFTGPU_OPS_INTEGERS_H_
