// Owns the table of texts that RFC 8259 accepts and rejects, modelled on Nicolas Seriot's JSONTestSuite.

import HubCore
import Testing

struct JSONSuiteTests {
  @Test("valid JSON is accepted, by the validator and by both dialects of the parser", arguments: valid)
  func accepts(text: Text) throws {
    try JSON.validate(text.bytes.span)
    _ = try JSON.parse(text.bytes.span)
    _ = try JSON.parse(text.bytes.span, dialect: .configuration)
  }

  @Test("what is not JSON is rejected, by validator and parser for the same reason", arguments: invalid)
  func rejects(text: Text) throws {
    let fromValidator = #expect(throws: JSONError.self) { try JSON.validate(text.bytes.span) }
    let fromParser = #expect(throws: JSONError.self) { try JSON.parse(text.bytes.span) }
    #expect(fromValidator == fromParser)
  }

  @Test(
    "half of a surrogate pair as an escape is JSON, but no text that a string can hold", arguments: lone)
  func loneSurrogates(text: Text) throws {
    try JSON.validate(text.bytes.span)
    for dialect in [JSONDialect.strict, .configuration] {
      let error = #expect(throws: JSONError.self) { try JSON.parse(text.bytes.span, dialect: dialect) }
      #expect(error?.reason == .loneSurrogate)
    }
  }

  @Test(
    "what follows half of a surrogate pair is read as if it stood alone",
    arguments: [#"["\uD800\"]"#, #"["\uD800\uD800\x"]"#, #"["\uD800\uDC0"]"#, "[\"\\uD800\u{1}\"]"])
  func behindLoneSurrogate(text: String) {
    #expect(throws: JSONError.self) { try JSON.validate(Array(text.utf8).span) }
    #expect(throws: JSONError.self) { try JSON.parse(Array(text.utf8).span) }
  }

  struct Text: CustomTestStringConvertible, Sendable {
    let name: String
    let bytes: [UInt8]
    var testDescription: String { name }

    init(_ name: String, _ text: String) {
      self.name = name
      bytes = Array(text.utf8)
    }

    init(_ name: String, bytes: [UInt8]) {
      self.name = name
      self.bytes = bytes
    }
  }

  static let lone: [Text] = [
    Text("string_lone_high_surrogate", #"["\uD800abc"]"#),
    Text("string_lone_low_surrogate", #"["\uDC00"]"#),
    Text("string_high_surrogate_then_below_the_low_ones", #"["\uD800\uD7FF"]"#),
    Text("string_high_surrogate_then_above_the_low_ones", #"["\uD800\uE000"]"#),
    Text("string_high_surrogate_then_ascii", #"["\uD800\u0041"]"#),
    Text("string_two_high_surrogates", #"["\uD800\uD800"]"#),
    Text("string_inverted_surrogates", #"["\uDd1e\uD834"]"#),
    Text("string_high_surrogate_then_pair", #"["\uD800\uD83D\uDE39"]"#),
    Text("key_lone_surrogate", #"{"\uDFFF": 1}"#),
  ]

  static let valid: [Text] = [
    Text("array_arrays_with_spaces", "[[]   ]"),
    Text("array_empty", "[]"),
    Text("array_empty_string", #"[""]"#),
    Text("array_ending_with_newline", "[\"a\"]\n"),
    Text("array_heterogeneous", #"[null, 1, "1", {}]"#),
    Text("array_with_leading_space", " [1]"),
    Text("array_with_several_null", "[1,null,null,null,2]"),
    Text("depth_128", String(repeating: "[", count: 128) + String(repeating: "]", count: 128)),
    Text("number_0e+1", "[0e+1]"),
    Text("number_0e1", "[0e1]"),
    Text("number_after_space", "[ 4]"),
    Text("number_close_to_zero", "[-0." + String(repeating: "0", count: 80) + "1]"),
    Text("number_huge_exponent", "[1e999999]"),
    Text("number_int_with_exp", "[20e1]"),
    Text("number_minus_zero", "[-0]"),
    Text("number_negative_int", "[-123]"),
    Text("number_real_capital_e_neg_exp", "[1E-2]"),
    Text("number_real_capital_e_pos_exp", "[1E+2]"),
    Text("number_real_fraction_exponent", "[123.456e78]"),
    Text("number_longer_than_int64", "[123123123123123123123123123123]"),
    Text("object_duplicated_key_in_strict_only", #"[{"a":"b"},{"a":"c"}]"#),
    Text("object_empty_key", #"{"":0}"#),
    Text("object_escaped_null_in_key", #"{"foo\u0000bar": 42}"#),
    Text("object_long_strings", "{\"x\":[{\"id\": \"" + String(repeating: "x", count: 300) + "\"}]}"),
    Text("object_with_newlines", "{\n\"a\": \"b\"\n}"),
    Text("string_1_2_3_bytes", #"["\u0060\u012a\u12AB"]"#),
    Text("string_accepted_surrogate_pair", #"["\uD801\udc37"]"#),
    Text("string_accepted_surrogate_pairs", #"["\ud83d\ude39\ud83d\udc8d"]"#),
    Text("string_allowed_escapes", #"["\"\\\/\b\f\n\r\t"]"#),
    Text("string_backslash_and_u_escaped_zero", #"["\\u0000"]"#),
    Text("string_comments", #"["a/*b*/c/*d//e"]"#),
    Text("string_last_code_point", "[\"\u{10FFFF}\"]"),
    Text("string_noncharacter", "[\"\u{FFFF}\"]"),
    Text("string_one_byte_utf8", #"["\u002c"]"#),
    Text("string_u2028_u2029", "[\"\u{2028}\u{2029}\"]"),
    Text("string_delete", "[\"\u{7f}\"]"),
    Text("string_utf8", "[\"€𝄞\"]"),
    Text("structure_lonely_false", "false"),
    Text("structure_lonely_int", "42"),
    Text("structure_lonely_negative_real", "-0.1"),
    Text("structure_lonely_null", "null"),
    Text("structure_lonely_string", #""asd""#),
    Text("structure_lonely_true", "true"),
    Text("structure_string_empty", #""""#),
    Text("structure_whitespace_array", " [] "),
    Text("structure_all_whitespace", "\t\n\r [\t\n\r 1\t\n\r ,\t\n\r 2\t\n\r ]\t\n\r "),
  ]

  static let invalid: [Text] = [
    Text("array_1_true_without_comma", "[1 true]"),
    Text("array_colon_instead_of_comma", #"["": 1]"#),
    Text("array_comma_after_close", #"[""],"#),
    Text("array_comma_and_number", "[,1]"),
    Text("array_double_comma", "[1,,2]"),
    Text("array_extra_close", #"["x"]]"#),
    Text("array_extra_comma", #"["",]"#),
    Text("array_incomplete", #"["x""#),
    Text("array_inner_array_no_comma", "[3[4]]"),
    Text("array_items_separated_by_semicolon", "[1:2]"),
    Text("array_just_comma", "[,]"),
    Text("array_just_minus", "[-]"),
    Text("array_missing_value", "[   , \"\"]"),
    Text("array_newlines_unclosed", "[\"a\",\n4\n,1,"),
    Text("array_star_inside", "[*]"),
    Text("array_unclosed_with_object_inside", "[{}"),
    Text("depth_129", String(repeating: "[", count: 129) + String(repeating: "]", count: 129)),
    Text("incomplete_false", "[fals]"),
    Text("incomplete_null", "[nul]"),
    Text("incomplete_true", "[tru]"),
    Text("multidigit_number_then_00", "123\0"),
    Text("number_++", "[++1234]"),
    Text("number_+1", "[+1]"),
    Text("number_+Inf", "[+Inf]"),
    Text("number_-01", "[-01]"),
    Text("number_-1.0.", "[-1.0.]"),
    Text("number_-2.", "[-2.]"),
    Text("number_-NaN", "[-NaN]"),
    Text("number_.-1", "[.-1]"),
    Text("number_.2e-3", "[.2e-3]"),
    Text("number_0.1.2", "[0.1.2]"),
    Text("number_0.3e", "[0.3e]"),
    Text("number_0.3e+", "[0.3e+]"),
    Text("number_0_capital_E", "[0E]"),
    Text("number_0.e1", "[0.e1]"),
    Text("number_1_000", "[1 000.0]"),
    Text("number_1eE2", "[1eE2]"),
    Text("number_2.e+3", "[2.e+3]"),
    Text("number_9.e+", "[9.e+]"),
    Text("number_Inf", "[Inf]"),
    Text("number_NaN", "[NaN]"),
    Text("number_U+FF11_fullwidth_digit_one", "[１]"),
    Text("number_expression", "[1+2]"),
    Text("number_hex_1_digit", "[0x1]"),
    Text("number_infinity", "[Infinity]"),
    Text("number_invalid_negative_real", "[-123.123foo]"),
    Text("number_minus_space_1", "[- 1]"),
    Text("number_neg_int_starting_with_zero", "[-012]"),
    Text("number_neg_with_garbage_at_end", "[-1x]"),
    Text("number_real_garbage_after_e", "[1ea]"),
    Text("number_starting_with_dot", "[.123]"),
    Text("number_with_leading_zero", "[012]"),
    Text("number_with_alpha", "[1.2a-3]"),
    Text("object_bad_value", #"["x", truth]"#),
    Text("object_bracket_key", "{[: \"x\"}\n"),
    Text("object_comma_instead_of_colon", #"{"x", null}"#),
    Text("object_double_colon", #"{"x"::"b"}"#),
    Text("object_key_with_single_quotes", "{'a':0}"),
    Text("object_missing_colon", #"{"a" b}"#),
    Text("object_missing_key", #"{:"b"}"#),
    Text("object_missing_semicolon", #"{"a" "b"}"#),
    Text("object_missing_value", #"{"a":"#),
    Text("object_no_colon", #"{"a""#),
    Text("object_non_string_key", "{1:1}"),
    Text("object_several_trailing_commas", #"{"id":0,,,,,}"#),
    Text("object_trailing_comma", #"{"id":0,}"#),
    Text("object_trailing_comment", #"{"a":"b"}/**/"#),
    Text("object_trailing_comment_slash_open", #"{"a":"b"}//"#),
    Text("object_two_commas_in_a_row", #"{"a":"b",,"c":"d"}"#),
    Text("object_unquoted_key", #"{a: "b"}"#),
    Text("object_closed_by_bracket", #"{"a":1]"#),
    Text("array_closed_by_brace", "[1}"),
    Text("single_space", " "),
    Text("string_1_surrogate_then_escape_u", #"["\uD800\u"]"#),
    Text("string_1_surrogate_then_escape_u1x", #"["\uD800\u1x"]"#),
    Text("string_backslash_00", "[\"\\\0\"]"),
    Text("string_escape_x", #"["\x00"]"#),
    Text("string_escaped_backslash_bad", #"["\\\"]"#),
    Text("string_escaped_ctrl_char_tab", "[\"\\\t\"]"),
    Text("string_escaped_emoji", #"["\🌀"]"#),
    Text("string_incomplete_escape", #"["\"]"#),
    Text("string_incomplete_escaped_character", #"["\u00A"]"#),
    Text("string_invalid_backslash_esc", #"["\a"]"#),
    Text("string_invalid_unicode_escape", #"["\uqqqq"]"#),
    Text("string_capital_u", #"["\U0041"]"#),
    Text("string_leading_uescaped_thinspace", #"[\u0020"asd"]"#),
    Text("string_no_quotes_with_bad_escape", #"[\n]"#),
    Text("string_single_quote", "['single quote']"),
    Text("string_start_escape_unclosed", #"["\"#),
    Text("string_unescaped_ctrl_char", "[\"a\0a\"]"),
    Text("string_unescaped_newline", "[\"new\nline\"]"),
    Text("string_unescaped_tab", "[\"\t\"]"),
    Text("string_unescaped_1f_past_a_word", "[\"12345678\u{1f}\"]"),
    Text("string_with_trailing_garbage", #"""x"#),
    Text("string_unclosed", #""abc"#),
    Text("structure_angle_bracket", "<null>"),
    Text("structure_array_trailing_garbage", "[1]x"),
    Text("structure_ascii_unicode_identifier", "aå"),
    Text("structure_capitalized_true", "[True]"),
    Text("structure_double_array", "[][]"),
    Text("structure_end_array", "]"),
    Text("structure_no_data", ""),
    Text("structure_null_byte_outside_string", "[\0]"),
    Text("structure_number_with_trailing_garbage", "2@"),
    Text("structure_open_object_close_array", "{]"),
    Text("structure_open_array_open_string", #"["a"#),
    Text("structure_open_open", #"["\{["\{"#),
    Text("structure_trailing_hash", #"{"a":"b"}#{}"#),
    Text("structure_uescaped_linefeed_before_string", #"[\u000A""]"#),
    Text("structure_utf8_bom", "\u{FEFF}{}"),
    Text("structure_whitespace_formfeed", "[\u{0c}]"),
    Text("structure_whitespace_no_break_space", "[\u{a0}]"),
    Text("structure_whitespace_word_joiner", "[\u{2060}]"),
    Text("utf8_continuation_alone", bytes: [0x22, 0x80, 0x22]),
    Text("utf8_cut_short", bytes: [0x22, 0xE2, 0x82, 0x22]),
    Text("utf8_at_the_end", bytes: [0x22, 0xE2]),
    Text("utf8_overlong_2", bytes: [0x22, 0xC0, 0xAF, 0x22]),
    Text("utf8_overlong_3", bytes: [0x22, 0xE0, 0x80, 0xAF, 0x22]),
    Text("utf8_surrogate", bytes: [0x22, 0xED, 0xA0, 0x80, 0x22]),
    Text("utf8_beyond_the_last_code_point", bytes: [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22]),
    Text("utf8_invalid_byte", bytes: [0x22, 0xFF, 0x22]),
    Text("utf8_latin_1", bytes: [0x5B, 0x22, 0xE9, 0x22, 0x5D]),
    Text("utf16_little_endian", bytes: [0xFF, 0xFE, 0x5B, 0x00, 0x5D, 0x00]),
    Text("utf16_without_mark", bytes: [0x00, 0x5B, 0x00, 0x5D]),
  ]
}
