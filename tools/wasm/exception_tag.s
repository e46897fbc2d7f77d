# The tag that all C++ exceptions are thrown with: the C++ library of Debian was built without exceptions, and lacks it.
  .tagtype __cpp_exception i32
  .globl __cpp_exception
__cpp_exception:
