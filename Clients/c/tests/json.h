/* As much JSON as the adapter's instructions need: a text becomes a tree, which is never freed. It trusts its input. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct json {
  char kind; /* o a s n t f 0 */
  char *text; /* of a string, decoded; of a number, as written */
  size_t length;
  char *key;
  struct json *first, *next;
};

static const char *json_blank(const char *at) {
  while (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t') at++;
  return at;
}

static unsigned json_hex(const char *at) {
  char digits[5] = {at[0], at[1], at[2], at[3], 0};
  return (unsigned)strtoul(digits, NULL, 16);
}

static const char *json_text(const char *at, char **text, size_t *length) {
  char *out = (char *)malloc(strlen(at) + 1);
  size_t count = 0;
  for (at++; *at != '"'; at++) {
    if (*at != '\\') {
      out[count++] = *at;
      continue;
    }
    at++;
    unsigned code = 0;
    switch (*at) {
    case 'n': out[count++] = '\n'; continue;
    case 't': out[count++] = '\t'; continue;
    case 'r': out[count++] = '\r'; continue;
    case 'b': out[count++] = '\b'; continue;
    case 'f': out[count++] = '\f'; continue;
    case 'u': code = json_hex(at + 1); at += 4; break;
    default: out[count++] = *at; continue;
    }
    if (code >= 0xD800 && code < 0xDC00 && at[1] == '\\' && at[2] == 'u') {
      code = 0x10000 + ((code - 0xD800) << 10) + (json_hex(at + 3) - 0xDC00);
      at += 6;
    }
    if (code < 0x80) {
      out[count++] = (char)code;
    } else if (code < 0x800) {
      out[count++] = (char)(0xC0 | code >> 6);
      out[count++] = (char)(0x80 | (code & 63));
    } else if (code < 0x10000) {
      out[count++] = (char)(0xE0 | code >> 12);
      out[count++] = (char)(0x80 | (code >> 6 & 63));
      out[count++] = (char)(0x80 | (code & 63));
    } else {
      out[count++] = (char)(0xF0 | code >> 18);
      out[count++] = (char)(0x80 | (code >> 12 & 63));
      out[count++] = (char)(0x80 | (code >> 6 & 63));
      out[count++] = (char)(0x80 | (code & 63));
    }
  }
  out[count] = '\0';
  *text = out;
  *length = count;
  return at + 1;
}

static const char *json_read(const char *at, struct json **result) {
  struct json *json = *result = (struct json *)calloc(1, sizeof(struct json));
  at = json_blank(at);
  if (*at == '{' || *at == '[') {
    bool is_object = *at == '{';
    struct json **place = &json->first;
    json->kind = is_object ? 'o' : 'a';
    at = json_blank(at + 1);
    while (*at != '}' && *at != ']') {
      char *key = NULL;
      size_t length;
      if (is_object) at = json_blank(json_text(at, &key, &length)) + 1;
      at = json_blank(json_read(at, place));
      (*place)->key = key;
      place = &(*place)->next;
      if (*at == ',') at = json_blank(at + 1);
    }
    return at + 1;
  }
  if (*at == '"') {
    json->kind = 's';
    return json_text(at, &json->text, &json->length);
  }
  size_t count = strcspn(at, ",]} \n");
  json->kind = *at == 't' ? 't' : *at == 'f' ? 'f' : *at == 'n' ? '0' : 'n';
  json->text = (char *)calloc(1, count + 1);
  memcpy(json->text, at, count);
  return at + count;
}

static struct json *json_field(const struct json *json, const char *key) {
  struct json *field = json->first;
  while (field != NULL && strcmp(field->key, key) != 0) field = field->next;
  return field;
}

static const char *json_string(const struct json *json, const char *key) {
  struct json *field = json_field(json, key);
  return field == NULL ? NULL : field->text;
}

static bool json_flag(const struct json *json, const char *key) {
  struct json *field = json_field(json, key);
  return field != NULL && field->kind == 't';
}

static void json_print(const char *text, size_t length) {
  putchar('"');
  for (size_t at = 0; at < length; at++) {
    unsigned char byte = (unsigned char)text[at];
    if (byte == '"' || byte == '\\') printf("\\%c", byte);
    else if (byte < 0x20) printf("\\u%04x", byte);
    else putchar(byte);
  }
  putchar('"');
}
