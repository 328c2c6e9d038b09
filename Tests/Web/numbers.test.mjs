import assert from "node:assert/strict";
import { test } from "node:test";
import { SourceNumber, jsonText, parsedMessage } from "../../web/numbers.js";

/** The shown digits of a number in a tool's input. */
const field = (source) => String(parsedMessage(`{"type":"approval","approval":{"request":{"head":{},"body":{"input":{"n":${source}}}}}}`).approval.request.body.input.n);

for (const source of ["9007199254740993", "12345678901234567891", "1e400", "-1e400", "1e-400", "0.1000000000000000055511151231257827", "1.0", "1e3", "1E3", "-0", "-0.0",
  "100000000000000000000000", "1e21", "9007199254740991", "-9007199254740993", "0", "7", "-7", "0.1", "1e+21", "120000"]) {
  test(`${source} in a tool's input is shown with its own digits`, () => assert.equal(field(source), source));
}

test("a number that a double holds as it is written stays one", () => {
  for (const source of ["0", "7", "-7", "120000", "0.1", "1e+21", "9007199254740991"]) {
    assert.equal(typeof parsedMessage(`{"body":{"input":${source}}}`).body.input, "number");
  }
});

test("where numbers are reckoned with they are numbers, as JSON.parse has them", () => {
  const text = '{"at":1.0,"events":[{"head":{"durationMs":2.50,"body":{"a":1.0}},"body":{"input":{"body":{"at":1.0}},"output":[1.0],"added":1.0}}]}';
  const { at, events: [{ head, body }] } = parsedMessage(text);
  assert.deepEqual([at, head.durationMs, body.added], [1, 2.5, 1]);
  assert.ok(body.input.body.at instanceof SourceNumber && body.output[0] instanceof SourceNumber);
});

test("text is left as it is, whatever it looks like", () => {
  const texts = ["1.0", "\"1.0", "\\", "\\\"", "a\\\\\"1.0,", "1e400", "9007199254740993", ", 1.0]", "\u2028\u0000", "é 1.0 😀"];
  for (const text of texts) {
    const value = { body: { input: { [text]: text, list: [text, 7] } } };
    assert.deepEqual(parsedMessage(JSON.stringify(value)), value);
    const beside = parsedMessage(JSON.stringify(value).replace("7]", "1.0]"));
    assert.equal(beside.body.input[text], text);
    assert.equal(String(beside.body.input.list[1]), "1.0");
  }
});

test("of any message all else is what JSON.parse makes of it", () => {
  const text = '{"a":[1,-2.5e-7,true,null,{"__proto__":{"x":1}},"\\u0022\\\\"],"b":{"":[]}} ';
  assert.deepEqual(parsedMessage(text), JSON.parse(text));
  assert.deepEqual(parsedMessage(text.replace("-2.5e-7", "-2.50e-7")), JSON.parse(text));
  assert.throws(() => parsedMessage('{"a":1.0'), SyntaxError);
  assert.throws(() => parsedMessage("1.0.0"), SyntaxError);
});

test("a field that objects have of themselves is a field", () => {
  const { input } = parsedMessage('{"body":{"input":{"__proto__":1.0,"constructor":1.0}}}').body;
  assert.deepEqual(Object.entries(input).map(([name, value]) => [name, String(value)]), [["__proto__", "1.0"], ["constructor", "1.0"]]);
});

test("as JSON for a person to read it has its digits, without quotes", () => {
  const { input } = parsedMessage('{"body":{"input":{"a":[9007199254740993,"9007199254740993",1e400,7]}}}').body;
  assert.equal(jsonText(input).replace(/\s/g, ""), '{"a":[9007199254740993,"9007199254740993",1e400,7]}');
});

test("two requests that differ in a number alone are not alike", () => {
  const one = parsedMessage('{"body":{"input":9007199254740993}}');
  const other = parsedMessage('{"body":{"input":9007199254740992.0}}');
  assert.notEqual(JSON.stringify(one), JSON.stringify(other));
});
