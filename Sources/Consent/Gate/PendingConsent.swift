internal import RelayProtocol

/// An approval that was shown and waits for a signed decision.
struct PendingConsent: Sendable, Equatable {
    let session: SessionID
    /// The digest that the desk and its adapter know.
    let inner: InputDigest
    /// The salted digest, which the relay knows.
    let outer: InputDigest
    let shown: ConsentHash
    let isCut: Bool
    let needsPasskey: Bool
    /// The questions as they were asked, kept only if answers come in other words; else empty.
    let questions: [QuestionOffer]

    init(
        session: SessionID, inner: InputDigest, outer: InputDigest, shown: ConsentHash, isCut: Bool,
        needsPasskey: Bool, questions: [QuestionOffer] = []
    ) {
        self.session = session
        self.inner = inner
        self.outer = outer
        self.shown = shown
        self.isCut = isCut
        self.needsPasskey = needsPasskey
        self.questions = questions
    }

    var note: [UInt8] {
        JSONWriter.object {
            $0.field("session", session)
            $0.field("inner", inner.rawValue)
            $0.field("outer", outer.rawValue)
            $0.field("shown", shown.text)
            $0.flag("cut", isCut)
            $0.flag("passkey", needsPasskey)
            if !questions.isEmpty {
                $0.array("questions", questions.map { question in JSONWriter.object { question.write(to: &$0) } })
            }
        }
    }

    /// Nil unless it is a note of this version.
    init?(note: [UInt8]) {
        guard let value = try? JSONDocument(parsing: note).root.object(),
            let session: SessionID = try? value.identifier("session"),
            let inner = (try? value.string("inner")).flatMap(InputDigest.init),
            let outer = (try? value.string("outer")).flatMap(InputDigest.init),
            let shown: ConsentHash = try? value.fixed("shown"), let isCut = try? value.flag("cut"),
            let needsPasskey = try? value.flag("passkey"),
            let questions = try? QuestionOffer.list(from: value)
        else { return nil }
        self.init(
            session: session, inner: inner, outer: outer, shown: shown, isCut: isCut, needsPasskey: needsPasskey,
            questions: questions)
    }
}
