import assert from "node:assert/strict";
import { test } from "node:test";
import { language } from "../../web/language.js";
import { riskWords } from "../../web/risk-words.js";
import { risksOfHosts, sentencesIn } from "./sentences.mjs";

test("a reason to look twice is in the page's language, with its names as they are; an unknown one stays", () => {
  const before = language.sentences;
  try {
    language.sentences = sentencesIn("de");
    const risks = risksOfHosts();
    assert.ok(risks.length > 35);
    for (const risk of risks) {
      const [said, expected] = [risk, language.sentences[risk]].map((one) => one.replaceAll(/\{(\d)\}/g, (_, at) => `/a b/${at}$&.`));
      assert.equal(riskWords(said), expected, risk);
    }
    assert.equal(riskWords("Does what is new."), "Does what is new.");
    assert.equal(riskWords("constructor"), "constructor");
    language.sentences = {};
    assert.equal(riskWords("Outside the session's folder, ~/a."), "Outside the session's folder, ~/a.");
  } finally {
    language.sentences = before;
  }
});
