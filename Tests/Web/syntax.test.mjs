import assert from "node:assert/strict";
import { test } from "node:test";
import { partsOfCode } from "../../web/syntax.js";

const marked = (text, language) => partsOfCode(text, language).filter(({ kind }) => kind).map(({ text: part, kind }) => `${kind}:${part}`);

test("code is cut into comments, strings, numbers and the words of its language", () => {
  assert.deepEqual(marked('const a = "x // y"; // why\nreturn 0x1F + 2.5;', "ts"),
    ["keyword:const", 'string:"x // y"', "comment:// why", "keyword:return", "number:0x1F", "number:2.5"]);
  assert.deepEqual(marked('def f():  # why\n    """A\ntext."""\n    return None', "Python"), ["keyword:def", "comment:# why", 'string:"""A\ntext."""', "keyword:return", "keyword:None"]);
  assert.deepEqual(marked("SELECT 'it''s' -- why\nfrom t", "sql"), ["keyword:SELECT", "string:'it''s'", "comment:-- why", "keyword:from"]);
  assert.deepEqual(marked("<!-- why --><a href=\"x\">", "html"), ["comment:<!-- why -->", 'string:"x"']);
});

test("what is not known, or long, stays one piece", () => {
  for (const [text, language] of [["const a", ""], ["const a", "klingon"], ["const a; ".repeat(4_000), "js"]]) {
    assert.deepEqual(partsOfCode(text, language), [{ text, kind: "" }]);
  }
});

test("joined, the parts are the text, whatever it is, and no text takes long", () => {
  for (const piece of ['"', "'", "`", "/*", "//", "\\", "<!--", '"""', "--", "1.", "a", "\u202e", "\n"]) {
    for (const language of ["js", "py", "sql", "html", "css"]) {
      const text = `${piece}x`.repeat(6_000);
      const begin = performance.now();
      assert.equal(partsOfCode(text, language).map((part) => part.text).join(""), text);
      assert.ok(performance.now() - begin < 2_000, `${language} ${piece}`);
    }
  }
});
