// Format specifications against Python's results: the table below was written by Python 3.11's format().
#include <cmath>

#include "stdlib/tensor/format.hpp"
#include "stdlib/tensor/print.hpp"
#include "values_support.hpp"

namespace covec {
namespace {

struct Row {
  Value value;
  const char* spec;
  const char* expected;
};

TEST(Formats, AreThoseOfPython) {
  const Row rows[] = {
      {Value(double(0.0)), "%", "0.000000%"}, {Value(double(0.0)), ".2e", "0.00e+00"},
      {Value(double(0.0)), "<10", "0.0       "}, {Value(double(0.0)), ".17g", "0"},
      {Value(double(0.0)), ".3f", "0.000"}, {Value(double(0.0)), "10.2f", "      0.00"},
      {Value(double(0.0)), ",.2f", "0.00"}, {Value(double(0.0)), " .1f", " 0.0"}, {Value(double(0.0)), ".0", "0e+00"},
      {Value(double(0.0)), "#.0f", "0."}, {Value(double(0.0)), "F", "0.000000"}, {Value(double(0.0)), ",", "0.0"},
      {Value(double(0.0)), ".3g", "0"}, {Value(double(0.0)), ".0f", "0"}, {Value(double(0.0)), "+.2f", "+0.00"},
      {Value(double(0.0)), ">10", "       0.0"}, {Value(double(-0.0)), "^11", "   -0.0    "},
      {Value(double(-0.0)), "10.2f", "     -0.00"}, {Value(double(-0.0)), "#g", "-0.00000"},
      {Value(double(-0.0)), "+.2f", "-0.00"}, {Value(double(-0.0)), "015,.2f", "-000,000,000.00"},
      {Value(double(-0.0)), ">10", "      -0.0"}, {Value(double(-0.0)), ".3f", "-0.000"},
      {Value(double(-0.0)), "_.3f", "-0.000"}, {Value(double(-0.0)), "e", "-0.000000e+00"},
      {Value(double(-0.0)), ".10g", "-0"}, {Value(double(-0.0)), "#.0f", "-0."}, {Value(double(-0.0)), ".17g", "-0"},
      {Value(double(-0.0)), "<10", "-0.0      "}, {Value(double(-0.0)), "z.1f", "0.0"},
      {Value(double(-0.0)), "#.0e", "-0.e+00"}, {Value(double(-0.0)), ".0f", "-0"},
      {Value(double(1.0)), "015,.2f", "0,000,000,001.00"}, {Value(double(1.0)), ".0e", "1e+00"},
      {Value(double(1.0)), "n", "1"}, {Value(double(1.0)), "^11", "    1.0    "},
      {Value(double(1.0)), ".2e", "1.00e+00"}, {Value(double(1.0)), ",.2f", "1.00"},
      {Value(double(1.0)), "e", "1.000000e+00"}, {Value(double(1.0)), "_.3f", "1.000"},
      {Value(double(1.0)), ".2%", "100.00%"}, {Value(double(1.0)), "020,", "00,000,000,000,001.0"},
      {Value(double(1.0)), ".3E", "1.000E+00"}, {Value(double(1.0)), " .1f", " 1.0"}, {Value(double(1.0)), "g", "1"},
      {Value(double(1.0)), ".0", "1e+00"}, {Value(double(1.0)), "z.1f", "1.0"},
      {Value(double(1.0)), "10.2f", "      1.00"}, {Value(double(2.5)), "_.3f", "2.500"},
      {Value(double(2.5)), ".3f", "2.500"}, {Value(double(2.5)), "z.0f", "2"}, {Value(double(2.5)), ".3g", "2.5"},
      {Value(double(2.5)), "+010.2f", "+000002.50"}, {Value(double(2.5)), ",.2f", "2.50"},
      {Value(double(2.5)), ">10", "       2.5"}, {Value(double(2.5)), "%", "250.000000%"},
      {Value(double(2.5)), "=+10", "+      2.5"}, {Value(double(2.5)), "#.0f", "2."},
      {Value(double(2.5)), "é>9.1f", "éééééé2.5"}, {Value(double(2.5)), ".0", "2e+00"},
      {Value(double(2.5)), ".2%", "250.00%"}, {Value(double(2.5)), "#g", "2.50000"},
      {Value(double(2.5)), ".3E", "2.500E+00"}, {Value(double(2.5)), ".20f", "2.50000000000000000000"},
      {Value(double(-3.14159265358979)), "+.2f", "-3.14"}, {Value(double(-3.14159265358979)), "_.3f", "-3.142"},
      {Value(double(-3.14159265358979)), ".2%", "-314.16%"},
      {Value(double(-3.14159265358979)), "_", "-3.14159265358979"},
      {Value(double(-3.14159265358979)), "+010.2f", "-000003.14"}, {Value(double(-3.14159265358979)), ".4", "-3.142"},
      {Value(double(-3.14159265358979)), "*^15", "-3.14159265358979"},
      {Value(double(-3.14159265358979)), "n", "-3.14159"}, {Value(double(-3.14159265358979)), "#.0e", "-3.e+00"},
      {Value(double(-3.14159265358979)), "10.2f", "     -3.14"},
      {Value(double(-3.14159265358979)), "e", "-3.141593e+00"},
      {Value(double(-3.14159265358979)), ",", "-3.14159265358979"},
      {Value(double(-3.14159265358979)), "^11", "-3.14159265358979"},
      {Value(double(-3.14159265358979)), "E", "-3.141593E+00"},
      {Value(double(-3.14159265358979)), ".20f", "-3.14159265358979000737"},
      {Value(double(-3.14159265358979)), ".2e", "-3.14e+00"}, {Value(double(1234567.891)), "+010.2f", "+1234567.89"},
      {Value(double(1234567.891)), "^11", "1234567.891"}, {Value(double(1234567.891)), ".0f", "1234568"},
      {Value(double(1234567.891)), ".20f", "1234567.89100000006146728992"},
      {Value(double(1234567.891)), "10.2f", "1234567.89"}, {Value(double(1234567.891)), "015,.2f", "0,001,234,567.89"},
      {Value(double(1234567.891)), "_.3f", "1_234_567.891"}, {Value(double(1234567.891)), "%", "123456789.100000%"},
      {Value(double(1234567.891)), ".4", "1.235e+06"}, {Value(double(1234567.891)), ".1", "1e+06"},
      {Value(double(1234567.891)), "020,", "0,000,001,234,567.891"},
      {Value(double(1234567.891)), "=+10", "+1234567.891"}, {Value(double(1234567.891)), "F", "1234567.891000"},
      {Value(double(1234567.891)), "+.2f", "+1234567.89"}, {Value(double(1234567.891)), "G", "1.23457E+06"},
      {Value(double(1234567.891)), "010", "1234567.891"}, {Value(double(0.1)), "012", "0000000000.1"},
      {Value(double(0.1)), ".20f", "0.10000000000000000555"}, {Value(double(0.1)), "10.2f", "      0.10"},
      {Value(double(0.1)), ".3f", "0.100"}, {Value(double(0.1)), ".2%", "10.00%"},
      {Value(double(0.1)), ".17g", "0.10000000000000001"}, {Value(double(0.1)), "_.3f", "0.100"},
      {Value(double(0.1)), "*^15", "******0.1******"}, {Value(double(0.1)), "n", "0.1"},
      {Value(double(0.1)), "10", "       0.1"}, {Value(double(0.1)), ".1", "0.1"},
      {Value(double(0.1)), "f", "0.100000"}, {Value(double(0.1)), "=+10", "+      0.1"},
      {Value(double(0.1)), "#.0f", "0."}, {Value(double(0.1)), "E", "1.000000E-01"},
      {Value(double(0.1)), "e", "1.000000e-01"}, {Value(double(1e-05)), "+010.2f", "+000000.00"},
      {Value(double(1e-05)), ".3f", "0.000"}, {Value(double(1e-05)), ".3g", "1e-05"},
      {Value(double(1e-05)), "n", "1e-05"}, {Value(double(1e-05)), ".0e", "1e-05"},
      {Value(double(1e-05)), "#g", "1.00000e-05"}, {Value(double(1e-05)), "<10", "1e-05     "},
      {Value(double(1e-05)), ".17g", "1.0000000000000001e-05"}, {Value(double(1e-05)), "020,", "0,000,000,000,001e-05"},
      {Value(double(1e-05)), "+.2f", "+0.00"}, {Value(double(1e-05)), "E", "1.000000E-05"},
      {Value(double(1e-05)), "*^15", "*****1e-05*****"}, {Value(double(1e-05)), "z.1f", "0.0"},
      {Value(double(1e-05)), "G", "1E-05"}, {Value(double(1e-05)), "F", "0.000010"},
      {Value(double(1e-05)), ">10", "     1e-05"}, {Value(double(1e16)), "015,.2f", "10,000,000,000,000,000.00"},
      {Value(double(1e16)), "G", "1E+16"}, {Value(double(1e16)), "é>9.1f", "10000000000000000.0"},
      {Value(double(1e16)), "^11", "   1e+16   "}, {Value(double(1e16)), ".1", "1e+16"},
      {Value(double(1e16)), "10", "     1e+16"}, {Value(double(1e16)), ".10g", "1e+16"},
      {Value(double(1e16)), ".2e", "1.00e+16"}, {Value(double(1e16)), "+.2f", "+10000000000000000.00"},
      {Value(double(1e16)), ".3E", "1.000E+16"}, {Value(double(1e16)), "z.1f", "10000000000000000.0"},
      {Value(double(1e16)), ".17g", "10000000000000000"}, {Value(double(1e16)), "_.3f", "10_000_000_000_000_000.000"},
      {Value(double(1e16)), "", "1e+16"}, {Value(double(1e16)), "+010.2f", "+10000000000000000.00"},
      {Value(double(1e16)), "#.0e", "1.e+16"}, {Value(double(1e+300)), "#.3g", "1.00e+300"},
      {Value(double(1e+300)), "n", "1e+300"}, {Value(double(1e+300)), "", "1e+300"},
      {Value(double(1e+300)), ".2e", "1.00e+300"}, {Value(double(1e+300)), "^11", "  1e+300   "},
      {Value(double(1e+300)), ",.2f", "1,000,000,000,000,000,052,504,760,255,204,420,248,704,468,581,108,159,154,915,854,115,511,802,457,988,908,195,786,371,375,080,447,864,043,704,443,832,883,878,176,942,523,235,360,430,575,644,792,184,786,706,982,848,387,200,926,575,803,737,830,233,794,788,090,059,368,953,234,970,799,945,081,119,038,967,640,880,074,652,742,780,142,494,579,258,788,820,056,842,838,115,669,472,196,386,865,459,400,540,160.00"},
      {Value(double(1e+300)), ".0", "1e+300"},
      {Value(double(1e+300)), "z.0f", "1000000000000000052504760255204420248704468581108159154915854115511802457988908195786371375080447864043704443832883878176942523235360430575644792184786706982848387200926575803737830233794788090059368953234970799945081119038967640880074652742780142494579258788820056842838115669472196386865459400540160"},
      {Value(double(1e+300)), "_.3f", "1_000_000_000_000_000_052_504_760_255_204_420_248_704_468_581_108_159_154_915_854_115_511_802_457_988_908_195_786_371_375_080_447_864_043_704_443_832_883_878_176_942_523_235_360_430_575_644_792_184_786_706_982_848_387_200_926_575_803_737_830_233_794_788_090_059_368_953_234_970_799_945_081_119_038_967_640_880_074_652_742_780_142_494_579_258_788_820_056_842_838_115_669_472_196_386_865_459_400_540_160.000"},
      {Value(double(1e+300)), "%", "100000000000000007629703079084894925347346855150656811701601734206211380288125794484142188964691784076639747577138548761372210387844799938291815611350519830750167649856488981626536368095414607314235151058373458986890825155659063617715863205282622390509284183439858617103083735673849899204570498157510656.000000%"},
      {Value(double(1e+300)), ".0e", "1e+300"}, {Value(double(1e+300)), ",", "1e+300"},
      {Value(double(1e+300)), ".3f", "1000000000000000052504760255204420248704468581108159154915854115511802457988908195786371375080447864043704443832883878176942523235360430575644792184786706982848387200926575803737830233794788090059368953234970799945081119038967640880074652742780142494579258788820056842838115669472196386865459400540160.000"},
      {Value(double(1e+300)), "=+10", "+   1e+300"}, {Value(double(1e+300)), "<10", "1e+300    "},
      {Value(double(1e+300)), "_", "1e+300"}, {Value(double(100.0)), "<10", "100.0     "},
      {Value(double(100.0)), "020,", "00,000,000,000,100.0"}, {Value(double(100.0)), " .1f", " 100.0"},
      {Value(double(100.0)), "010", "00000100.0"}, {Value(double(100.0)), "z.1f", "100.0"},
      {Value(double(100.0)), ",.3g", "100"}, {Value(double(100.0)), ".3f", "100.000"},
      {Value(double(100.0)), "g", "100"}, {Value(double(100.0)), "10.2f", "    100.00"},
      {Value(double(100.0)), ".3g", "100"}, {Value(double(100.0)), "*^15", "*****100.0*****"},
      {Value(double(100.0)), "E", "1.000000E+02"}, {Value(double(100.0)), "e", "1.000000e+02"},
      {Value(double(100.0)), ".4", "100.0"}, {Value(double(100.0)), ".17g", "100"},
      {Value(double(100.0)), "é>9.1f", "éééé100.0"}, {Value(double(9.9999)), "", "9.9999"},
      {Value(double(9.9999)), "_.3f", "10.000"}, {Value(double(9.9999)), ".2e", "1.00e+01"},
      {Value(double(9.9999)), ",.2f", "10.00"}, {Value(double(9.9999)), " .1f", " 10.0"},
      {Value(double(9.9999)), ".0", "1e+01"}, {Value(double(9.9999)), "z.0f", "10"},
      {Value(double(9.9999)), "f", "9.999900"}, {Value(double(9.9999)), "10.2f", "     10.00"},
      {Value(double(9.9999)), ".3g", "10"}, {Value(double(9.9999)), "10", "    9.9999"},
      {Value(double(9.9999)), "é>9.1f", "ééééé10.0"}, {Value(double(9.9999)), "#.3g", "10.0"},
      {Value(double(9.9999)), ".1", "1e+01"}, {Value(double(9.9999)), ".20f", "9.99990000000000023306"},
      {Value(double(9.9999)), "010", "00009.9999"}, {Value(double(0.00012345)), "e", "1.234500e-04"},
      {Value(double(0.00012345)), "020,", "000,000,000.00012345"}, {Value(double(0.00012345)), "+010.2f", "+000000.00"},
      {Value(double(0.00012345)), "=+10", "+0.00012345"}, {Value(double(0.00012345)), "010", "0.00012345"},
      {Value(double(0.00012345)), "F", "0.000123"}, {Value(double(0.00012345)), ".2%", "0.01%"},
      {Value(double(0.00012345)), "+.2f", "+0.00"}, {Value(double(0.00012345)), ".2e", "1.23e-04"},
      {Value(double(0.00012345)), " .1f", " 0.0"}, {Value(double(0.00012345)), ".4", "0.0001234"},
      {Value(double(0.00012345)), "#.3g", "0.000123"}, {Value(double(0.00012345)), ".20f", "0.00012344999999999999"},
      {Value(double(0.00012345)), "E", "1.234500E-04"}, {Value(double(0.00012345)), "_", "0.00012345"},
      {Value(double(0.00012345)), "f", "0.000123"}, {Value(double(99999.5)), ".3g", "1e+05"},
      {Value(double(99999.5)), "_", "99_999.5"}, {Value(double(99999.5)), ".0", "1e+05"},
      {Value(double(99999.5)), ".2e", "1.00e+05"}, {Value(double(99999.5)), ",.2f", "99,999.50"},
      {Value(double(99999.5)), "f", "99999.500000"}, {Value(double(99999.5)), ",.3g", "1e+05"},
      {Value(double(99999.5)), ".2%", "9999950.00%"}, {Value(double(99999.5)), "+.2f", "+99999.50"},
      {Value(double(99999.5)), "#.3g", "1.00e+05"}, {Value(double(99999.5)), ".17g", "99999.5"},
      {Value(double(99999.5)), "é>9.1f", "éé99999.5"}, {Value(double(99999.5)), "E", "9.999950E+04"},
      {Value(double(99999.5)), ".1", "1e+05"}, {Value(double(99999.5)), ".10g", "99999.5"},
      {Value(double(99999.5)), ",", "99,999.5"}, {Value(double(-1e-07)), ".4", "-1e-07"},
      {Value(double(-1e-07)), "z.1f", "0.0"}, {Value(double(-1e-07)), ".10g", "-1e-07"},
      {Value(double(-1e-07)), "z.0f", "0"}, {Value(double(-1e-07)), "g", "-1e-07"},
      {Value(double(-1e-07)), "#g", "-1.00000e-07"}, {Value(double(-1e-07)), "<10", "-1e-07    "},
      {Value(double(-1e-07)), "é>9.1f", "ééééé-0.0"}, {Value(double(-1e-07)), "F", "-0.000000"},
      {Value(double(-1e-07)), "_", "-1e-07"}, {Value(double(-1e-07)), "+010.2f", "-000000.00"},
      {Value(double(-1e-07)), ".1", "-1e-07"}, {Value(double(-1e-07)), "f", "-0.000000"},
      {Value(double(-1e-07)), "015,.2f", "-000,000,000.00"}, {Value(double(-1e-07)), "G", "-1E-07"},
      {Value(double(-1e-07)), "010", "-00001e-07"}, {Value(double(123456789.0)), "#.3g", "1.23e+08"},
      {Value(double(123456789.0)), "g", "1.23457e+08"}, {Value(double(123456789.0)), "012", "0123456789.0"},
      {Value(double(123456789.0)), "#.0e", "1.e+08"}, {Value(double(123456789.0)), ".1", "1e+08"},
      {Value(double(123456789.0)), "*^15", "**123456789.0**"}, {Value(double(123456789.0)), "F", "123456789.000000"},
      {Value(double(123456789.0)), ".0", "1e+08"}, {Value(double(123456789.0)), "+.2f", "+123456789.00"},
      {Value(double(123456789.0)), ".10g", "123456789"}, {Value(double(123456789.0)), " .1f", " 123456789.0"},
      {Value(double(123456789.0)), "é>9.1f", "123456789.0"}, {Value(double(123456789.0)), "010", "123456789.0"},
      {Value(double(123456789.0)), ",.3g", "1.23e+08"}, {Value(double(123456789.0)), ".4", "1.235e+08"},
      {Value(double(123456789.0)), ".3g", "1.23e+08"}, {Value(double(INFINITY)), "010", "0000000inf"},
      {Value(double(INFINITY)), "z.0f", "inf"}, {Value(double(INFINITY)), ",.3g", "inf"},
      {Value(double(INFINITY)), "", "inf"}, {Value(double(INFINITY)), "020,", "00000000000000000inf"},
      {Value(double(INFINITY)), ".17g", "inf"}, {Value(double(INFINITY)), ".1", "inf"},
      {Value(double(INFINITY)), "+.2f", "+inf"}, {Value(double(INFINITY)), "e", "inf"},
      {Value(double(INFINITY)), "10", "       inf"}, {Value(double(INFINITY)), "g", "inf"},
      {Value(double(INFINITY)), "F", "INF"}, {Value(double(INFINITY)), ".3E", "INF"},
      {Value(double(INFINITY)), ">10", "       inf"}, {Value(double(INFINITY)), ".4", "inf"},
      {Value(double(INFINITY)), "z.1f", "inf"}, {Value(double(-INFINITY)), ",.3g", "-inf"},
      {Value(double(-INFINITY)), "<10", "-inf      "}, {Value(double(-INFINITY)), "=+10", "-      inf"},
      {Value(double(-INFINITY)), "020,", "-0000000000000000inf"}, {Value(double(-INFINITY)), "+.2f", "-inf"},
      {Value(double(-INFINITY)), "E", "-INF"}, {Value(double(-INFINITY)), ".20f", "-inf"},
      {Value(double(-INFINITY)), ".0e", "-inf"}, {Value(double(-INFINITY)), "f", "-inf"},
      {Value(double(-INFINITY)), ".2e", "-inf"}, {Value(double(-INFINITY)), "#.0f", "-inf"},
      {Value(double(-INFINITY)), "é>9.1f", "ééééé-inf"}, {Value(double(-INFINITY)), "#.0e", "-inf"},
      {Value(double(-INFINITY)), "010", "-000000inf"}, {Value(double(-INFINITY)), ".1", "-inf"},
      {Value(double(-INFINITY)), "015,.2f", "-00000000000inf"}, {Value(double(NAN)), "015,.2f", "000000000000nan"},
      {Value(double(NAN)), "020,", "00000000000000000nan"}, {Value(double(NAN)), ".0e", "nan"},
      {Value(double(NAN)), "f", "nan"}, {Value(double(NAN)), "", "nan"}, {Value(double(NAN)), ".17g", "nan"},
      {Value(double(NAN)), " .1f", " nan"}, {Value(double(NAN)), "_", "nan"},
      {Value(double(NAN)), "é>9.1f", "éééééénan"}, {Value(double(NAN)), ">10", "       nan"},
      {Value(double(NAN)), "g", "nan"}, {Value(double(NAN)), ".3g", "nan"}, {Value(double(NAN)), "012", "000000000nan"},
      {Value(double(NAN)), "#.3g", "nan"}, {Value(double(NAN)), "_.3f", "nan"}, {Value(double(NAN)), "n", "nan"},
      {Value(double(5e-324)), ",", "5e-324"}, {Value(double(5e-324)), "#g", "4.94066e-324"},
      {Value(double(5e-324)), "#.0f", "0."}, {Value(double(5e-324)), "%", "0.000000%"},
      {Value(double(5e-324)), "#.3g", "4.94e-324"}, {Value(double(5e-324)), ",.2f", "0.00"},
      {Value(double(5e-324)), "^11", "  5e-324   "}, {Value(double(5e-324)), ".0e", "5e-324"},
      {Value(double(5e-324)), ".3f", "0.000"}, {Value(double(5e-324)), ".1", "5e-324"},
      {Value(double(5e-324)), "=+10", "+   5e-324"}, {Value(double(5e-324)), "_", "5e-324"},
      {Value(double(5e-324)), ".17g", "4.9406564584124654e-324"},
      {Value(double(5e-324)), "020,", "000,000,000,005e-324"}, {Value(double(5e-324)), "z.1f", "0.0"},
      {Value(double(5e-324)), ".2e", "4.94e-324"}, {Value(double(0.5)), "_", "0.5"}, {Value(double(0.5)), ",", "0.5"},
      {Value(double(0.5)), "f", "0.500000"}, {Value(double(0.5)), "*^15", "******0.5******"},
      {Value(double(0.5)), ".3E", "5.000E-01"}, {Value(double(0.5)), "#.0e", "5.e-01"}, {Value(double(0.5)), "", "0.5"},
      {Value(double(0.5)), ".2e", "5.00e-01"}, {Value(double(0.5)), "F", "0.500000"},
      {Value(double(0.5)), "z.1f", "0.5"}, {Value(double(0.5)), "010", "00000000.5"},
      {Value(double(0.5)), "e", "5.000000e-01"}, {Value(double(0.5)), "015,.2f", "0,000,000,000.50"},
      {Value(double(0.5)), ".3f", "0.500"}, {Value(double(0.5)), "%", "50.000000%"}, {Value(double(0.5)), "#.0f", "0."},
      {Value(double(1.5)), " .1f", " 1.5"}, {Value(double(1.5)), "015,.2f", "0,000,000,001.50"},
      {Value(double(1.5)), ".3f", "1.500"}, {Value(double(1.5)), "#g", "1.50000"}, {Value(double(1.5)), "g", "1.5"},
      {Value(double(1.5)), "G", "1.5"}, {Value(double(1.5)), ".0f", "2"},
      {Value(double(1.5)), "020,", "00,000,000,000,001.5"}, {Value(double(1.5)), ",", "1.5"},
      {Value(double(1.5)), "*^15", "******1.5******"}, {Value(double(1.5)), ",.3g", "1.5"},
      {Value(double(1.5)), "f", "1.500000"}, {Value(double(1.5)), "10.2f", "      1.50"},
      {Value(double(1.5)), "#.0e", "2.e+00"}, {Value(double(1.5)), "%", "150.000000%"},
      {Value(double(1.5)), "z.0f", "2"}, {Value(int64_t{0}), "010_x", "0_0000_0000"}, {Value(int64_t{0}), ".3g", "0"},
      {Value(int64_t{0}), "#x", "0x0"}, {Value(int64_t{0}), "#o", "0o0"}, {Value(int64_t{0}), "=8", "       0"},
      {Value(int64_t{0}), "015_x", "0_0000_0000_0000"}, {Value(int64_t{0}), "+#x", "+0x0"},
      {Value(int64_t{0}), ".2f", "0.00"}, {Value(int64_t{0}), "n", "0"}, {Value(int64_t{0}), "#b", "0b0"},
      {Value(int64_t{0}), "#_b", "0b0"}, {Value(int64_t{0}), "o", "0"}, {Value(int64_t{0}), "x>6", "xxxxx0"},
      {Value(int64_t{0}), "+d", "+0"}, {Value(int64_t{0}), "f", "0.000000"}, {Value(int64_t{0}), "05", "00000"},
      {Value(int64_t{1}), "=8", "       1"}, {Value(int64_t{1}), "+d", "+1"}, {Value(int64_t{1}), "09,", "0,000,001"},
      {Value(int64_t{1}), "+", "+1"}, {Value(int64_t{1}), "012,", "0,000,000,001"}, {Value(int64_t{1}), "g", "1"},
      {Value(int64_t{1}), "_x", "1"}, {Value(int64_t{1}), "^7", "   1   "}, {Value(int64_t{1}), "#b", "0b1"},
      {Value(int64_t{1}), "010_", "00_000_001"}, {Value(int64_t{1}), "5d", "    1"}, {Value(int64_t{1}), "05", "00001"},
      {Value(int64_t{1}), "_b", "1"}, {Value(int64_t{1}), " d", " 1"}, {Value(int64_t{1}), "x>6", "xxxxx1"},
      {Value(int64_t{1}), "<5", "1    "}, {Value(int64_t{-1}), " d", "-1"}, {Value(int64_t{-1}), ",", "-1"},
      {Value(int64_t{-1}), "g", "-1"}, {Value(int64_t{-1}), "o", "-1"}, {Value(int64_t{-1}), "+d", "-1"},
      {Value(int64_t{-1}), "*=8", "-******1"}, {Value(int64_t{-1}), "b", "-1"}, {Value(int64_t{-1}), "05", "-0001"},
      {Value(int64_t{-1}), "012,", "-000,000,001"}, {Value(int64_t{-1}), "e", "-1.000000e+00"},
      {Value(int64_t{-1}), ">7", "     -1"}, {Value(int64_t{-1}), "_b", "-1"},
      {Value(int64_t{-1}), "09,", "-0,000,001"}, {Value(int64_t{-1}), "+", "-1"}, {Value(int64_t{-1}), ".2f", "-1.00"},
      {Value(int64_t{-1}), "#_b", "-0b1"}, {Value(int64_t{42}), "010_", "00_000_042"},
      {Value(int64_t{42}), ".3g", "42"}, {Value(int64_t{42}), "012,", "0,000,000,042"},
      {Value(int64_t{42}), "_b", "10_1010"}, {Value(int64_t{42}), "09,", "0,000,042"},
      {Value(int64_t{42}), "#x", "0x2a"}, {Value(int64_t{42}), "#_b", "0b10_1010"}, {Value(int64_t{42}), "_x", "2a"},
      {Value(int64_t{42}), ">7", "     42"}, {Value(int64_t{42}), ",", "42"}, {Value(int64_t{42}), "", "42"},
      {Value(int64_t{42}), "x", "2a"}, {Value(int64_t{42}), "#o", "0o52"}, {Value(int64_t{42}), "b", "101010"},
      {Value(int64_t{42}), "g", "42"}, {Value(int64_t{42}), "+#x", "+0x2a"}, {Value(int64_t{-42}), "d", "-42"},
      {Value(int64_t{-42}), "_d", "-42"}, {Value(int64_t{-42}), "_b", "-10_1010"},
      {Value(int64_t{-42}), "%", "-4200.000000%"}, {Value(int64_t{-42}), "08b", "-0101010"},
      {Value(int64_t{-42}), ".3g", "-42"}, {Value(int64_t{-42}), "^7", "  -42  "}, {Value(int64_t{-42}), "+", "-42"},
      {Value(int64_t{-42}), "b", "-101010"}, {Value(int64_t{-42}), "05", "-0042"}, {Value(int64_t{-42}), "5d", "  -42"},
      {Value(int64_t{-42}), "+d", "-42"}, {Value(int64_t{-42}), "*=8", "-*****42"}, {Value(int64_t{-42}), "g", "-42"},
      {Value(int64_t{-42}), "015_x", "-0000_0000_002a"}, {Value(int64_t{-42}), ">7", "    -42"},
      {Value(int64_t{255}), "#o", "0o377"}, {Value(int64_t{255}), "+d", "+255"},
      {Value(int64_t{255}), "010_", "00_000_255"}, {Value(int64_t{255}), "o", "377"},
      {Value(int64_t{255}), "012,", "0,000,000,255"}, {Value(int64_t{255}), " d", " 255"},
      {Value(int64_t{255}), "+#x", "+0xff"}, {Value(int64_t{255}), ".3g", "255"},
      {Value(int64_t{255}), "e", "2.550000e+02"}, {Value(int64_t{255}), "_x", "ff"},
      {Value(int64_t{255}), "5d", "  255"}, {Value(int64_t{255}), "015_x", "0_0000_0000_00ff"},
      {Value(int64_t{255}), "d", "255"}, {Value(int64_t{255}), "x>6", "xxx255"},
      {Value(int64_t{255}), "#_b", "0b1111_1111"}, {Value(int64_t{255}), ">7", "    255"},
      {Value(int64_t{1234567}), "010_", "01_234_567"}, {Value(int64_t{1234567}), "^7", "1234567"},
      {Value(int64_t{1234567}), "#o", "0o4553207"}, {Value(int64_t{1234567}), "d", "1234567"},
      {Value(int64_t{1234567}), ">7", "1234567"}, {Value(int64_t{1234567}), "o", "4553207"},
      {Value(int64_t{1234567}), "x>6", "1234567"}, {Value(int64_t{1234567}), "b", "100101101011010000111"},
      {Value(int64_t{1234567}), "015_x", "0_0000_0012_d687"}, {Value(int64_t{1234567}), "n", "1234567"},
      {Value(int64_t{1234567}), "g", "1.23457e+06"}, {Value(int64_t{1234567}), "<5", "1234567"},
      {Value(int64_t{1234567}), "%", "123456700.000000%"}, {Value(int64_t{1234567}), "", "1234567"},
      {Value(int64_t{1234567}), "x", "12d687"}, {Value(int64_t{1234567}), "010_x", "0_0012_d687"},
      {Value(int64_t{-9876543210}), "09,", "-9,876,543,210"}, {Value(int64_t{-9876543210}), "#o", "-0o111454013352"},
      {Value(int64_t{-9876543210}), "+d", "-9876543210"}, {Value(int64_t{-9876543210}), "5d", "-9876543210"},
      {Value(int64_t{-9876543210}), "%", "-987654321000.000000%"},
      {Value(int64_t{-9876543210}), "#b", "-0b1001001100101100000001011011101010"},
      {Value(int64_t{-9876543210}), "+", "-9876543210"}, {Value(int64_t{-9876543210}), "x", "-24cb016ea"},
      {Value(int64_t{-9876543210}), "o", "-111454013352"}, {Value(int64_t{-9876543210}), "<5", "-9876543210"},
      {Value(int64_t{-9876543210}), ">7", "-9876543210"}, {Value(int64_t{-9876543210}), "05", "-9876543210"},
      {Value(int64_t{-9876543210}), " d", "-9876543210"}, {Value(int64_t{-9876543210}), "_x", "-2_4cb0_16ea"},
      {Value(int64_t{-9876543210}), "=8", "-9876543210"}, {Value(int64_t{-9876543210}), ".3g", "-9.88e+09"},
      {Value(int64_t{9223372036854775807}), "#X", "0X7FFFFFFFFFFFFFFF"},
      {Value(int64_t{9223372036854775807}), "08b", "111111111111111111111111111111111111111111111111111111111111111"},
      {Value(int64_t{9223372036854775807}), "=8", "9223372036854775807"},
      {Value(int64_t{9223372036854775807}), ".3g", "9.22e+18"},
      {Value(int64_t{9223372036854775807}), "X", "7FFFFFFFFFFFFFFF"},
      {Value(int64_t{9223372036854775807}), "#o", "0o777777777777777777777"},
      {Value(int64_t{9223372036854775807}), "#_b", "0b111_1111_1111_1111_1111_1111_1111_1111_1111_1111_1111_1111_1111_1111_1111_1111"},
      {Value(int64_t{9223372036854775807}), "d", "9223372036854775807"},
      {Value(int64_t{9223372036854775807}), "o", "777777777777777777777"},
      {Value(int64_t{9223372036854775807}), "5d", "9223372036854775807"},
      {Value(int64_t{9223372036854775807}), "", "9223372036854775807"},
      {Value(int64_t{9223372036854775807}), ".2f", "9223372036854775808.00"},
      {Value(int64_t{9223372036854775807}), ",", "9,223,372,036,854,775,807"},
      {Value(int64_t{9223372036854775807}), "f", "9223372036854775808.000000"},
      {Value(int64_t{9223372036854775807}), "n", "9223372036854775807"},
      {Value(int64_t{9223372036854775807}), "05", "9223372036854775807"}, {Value(INT64_MIN), ".3g", "-9.22e+18"},
      {Value(INT64_MIN), ".2f", "-9223372036854775808.00"},
      {Value(INT64_MIN), "#b", "-0b1000000000000000000000000000000000000000000000000000000000000000"},
      {Value(INT64_MIN), "=8", "-9223372036854775808"}, {Value(INT64_MIN), "05", "-9223372036854775808"},
      {Value(INT64_MIN), "010_", "-9_223_372_036_854_775_808"}, {Value(INT64_MIN), "e", "-9.223372e+18"},
      {Value(INT64_MIN), "012,", "-9,223,372,036,854,775,808"}, {Value(INT64_MIN), "g", "-9.22337e+18"},
      {Value(INT64_MIN), "#010x", "-0x8000000000000000"},
      {Value(INT64_MIN), "#_b", "-0b1000_0000_0000_0000_0000_0000_0000_0000_0000_0000_0000_0000_0000_0000_0000_0000"},
      {Value(INT64_MIN), "x>6", "-9223372036854775808"}, {Value(INT64_MIN), "+", "-9223372036854775808"},
      {Value(INT64_MIN), "x", "-8000000000000000"}, {Value(INT64_MIN), "*=8", "-9223372036854775808"},
      {Value(INT64_MIN), "015_x", "-8000_0000_0000_0000"}, {make_string(""), "", ""}, {make_string(""), "s", ""},
      {make_string(""), "8", "        "}, {make_string(""), "<8", "        "}, {make_string(""), ">8", "        "},
      {make_string(""), "^8", "        "}, {make_string(""), "*^9", "*********"}, {make_string(""), ".2", ""},
      {make_string(""), ".3s", ""}, {make_string(""), "08", "00000000"}, {make_string(""), "5.1", "     "},
      {make_string(""), "é^7", "ééééééé"}, {make_string(""), "0", ""}, {make_string(""), "10s", "          "},
      {make_string("a"), "", "a"}, {make_string("a"), "s", "a"}, {make_string("a"), "8", "a       "},
      {make_string("a"), "<8", "a       "}, {make_string("a"), ">8", "       a"}, {make_string("a"), "^8", "   a    "},
      {make_string("a"), "*^9", "****a****"}, {make_string("a"), ".2", "a"}, {make_string("a"), ".3s", "a"},
      {make_string("a"), "08", "a0000000"}, {make_string("a"), "5.1", "a    "}, {make_string("a"), "é^7", "éééaééé"},
      {make_string("a"), "0", "a"}, {make_string("a"), "10s", "a         "}, {make_string("hello"), "", "hello"},
      {make_string("hello"), "s", "hello"}, {make_string("hello"), "8", "hello   "},
      {make_string("hello"), "<8", "hello   "}, {make_string("hello"), ">8", "   hello"},
      {make_string("hello"), "^8", " hello  "}, {make_string("hello"), "*^9", "**hello**"},
      {make_string("hello"), ".2", "he"}, {make_string("hello"), ".3s", "hel"},
      {make_string("hello"), "08", "hello000"}, {make_string("hello"), "5.1", "h    "},
      {make_string("hello"), "é^7", "éhelloé"}, {make_string("hello"), "0", "hello"},
      {make_string("hello"), "10s", "hello     "}, {make_string("naïve"), "", "naïve"},
      {make_string("naïve"), "s", "naïve"}, {make_string("naïve"), "8", "naïve   "},
      {make_string("naïve"), "<8", "naïve   "}, {make_string("naïve"), ">8", "   naïve"},
      {make_string("naïve"), "^8", " naïve  "}, {make_string("naïve"), "*^9", "**naïve**"},
      {make_string("naïve"), ".2", "na"}, {make_string("naïve"), ".3s", "naï"},
      {make_string("naïve"), "08", "naïve000"}, {make_string("naïve"), "5.1", "n    "},
      {make_string("naïve"), "é^7", "énaïveé"}, {make_string("naïve"), "0", "naïve"},
      {make_string("naïve"), "10s", "naïve     "}, {make_string("日本"), "", "日本"}, {make_string("日本"), "s", "日本"},
      {make_string("日本"), "8", "日本      "}, {make_string("日本"), "<8", "日本      "},
      {make_string("日本"), ">8", "      日本"}, {make_string("日本"), "^8", "   日本   "},
      {make_string("日本"), "*^9", "***日本****"}, {make_string("日本"), ".2", "日本"}, {make_string("日本"), ".3s", "日本"},
      {make_string("日本"), "08", "日本000000"}, {make_string("日本"), "5.1", "日    "}, {make_string("日本"), "é^7", "éé日本ééé"},
      {make_string("日本"), "0", "日本"}, {make_string("日本"), "10s", "日本        "},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(format_value(row.value, row.spec), row.expected) << text_of(row.value) << " with '" << row.spec << "'";
  }
}

std::string error_of(const Value& value, const char* spec) {
  return message_of([&] { format_value(value, spec); });
}

TEST(Formats, MistakesAreNamed) {
  EXPECT_EQ(error_of(1.0, "d"), "cannot format a float with 'd': type 'd' is for integers");
  EXPECT_EQ(error_of(1.0, "s"), "cannot format a float with 's': type 's' is for strings");
  EXPECT_EQ(error_of(int64_t{1}, "s"), "cannot format a number with 's': type 's' is for strings");
  EXPECT_EQ(error_of(int64_t{1}, ".2"), "cannot format an integer with '.2': a precision is not allowed");
  EXPECT_EQ(error_of(int64_t{-1}, "c"), "cannot format -1 with 'c': it is no character's number");
  EXPECT_EQ(error_of(int64_t{0xd800}, "c"), "cannot format 55296 with 'c': it is no character's number");
  EXPECT_EQ(error_of(int64_t{1}, ",x"), "cannot format an integer with ',x': ',' does not go with type 'x'");
  EXPECT_EQ(error_of(make_string("a"), "f"), "cannot format a string with 'f': type 'f' is for numbers");
  EXPECT_EQ(error_of(make_string("a"), "=5"), "cannot format a string with '=5': '=' is for numbers");
  EXPECT_EQ(error_of(make_string("a"), "+5"), "cannot format a string with '+5': a sign is for numbers");
  EXPECT_EQ(error_of(Value(), "5"),
            "cannot format none with '5': only numbers, tensors, strings and trees of them have formats");
  EXPECT_EQ(error_of(1.0, "q"), "cannot read the format 'q': there is no type 'q'");
  EXPECT_EQ(error_of(1.0, ".f"), "cannot read the format '.f': a number must follow the point");
  EXPECT_EQ(error_of(1.0, "5 f"), "cannot read the format '5 f': ' f' is not understood");
  EXPECT_EQ(error_of(1.0, "99999999999f"), "cannot read the format '99999999999f': the width is more than 10000");
  EXPECT_EQ(error_of(1.0, ".10001f"), "cannot read the format '.10001f': the precision is more than 10000");
  EXPECT_EQ(error_of(1.0, ",_"), "cannot read the format ',_': two grouping options");
  EXPECT_EQ(error_of(1.0, ".9999f"), "");
}

TEST(Formats, Characters) {
  EXPECT_EQ(format_value(int64_t{65}, "c"), "A");
  EXPECT_EQ(format_value(int64_t{0x20ac}, ">3c"), "  €");
}

TEST_F(Values, FormatsBoolsAndF32) {
  EXPECT_EQ(format_value(true, "6"), "  true");
  EXPECT_EQ(format_value(true, "d"), "1");
  EXPECT_EQ(format_value(0.1f, ""), "0.1");
  EXPECT_EQ(format_value(0.1f, "8"), "     0.1");
  EXPECT_EQ(format_value(0.1f, ".10f"), "0.1000000015");
  EXPECT_EQ(format_value(-static_cast<double>(NAN), "f"), "nan");
}

TEST_F(Values, FormatsTensorsElementwise) {
  EXPECT_EQ(format_value(f64({3}, {1, 2.25, 100}), ".1f"), "[1.0, 2.2, 100.0]");
  EXPECT_EQ(format_value(i64({2, 2}, {1, 20, 3, 4}), "03d"), "[[001, 020],\n [003, 004]]");
  EXPECT_EQ(format_value(f64({2, 2}, {1, 20, 3, 4}), ".0f"), "[[ 1, 20],\n [ 3,  4]]");
  EXPECT_EQ(format_value(record({"w", "s"}, {1.0, make_string("a")}), ".2f"), "{w: 1.00, s: \"a\"}");
}

}  // namespace
}  // namespace covec
