internal import Consent
internal import HostCore
internal import RelayProtocol

/// A client's look or keys on the way from the daemon to the process that holds the terminal.
struct TerminalQuestion {
    /// Number of the question on this connection; its answer has the same.
    let number: Int64
    let session: SessionID
    let wish: ScreenCall.Wish

    init(_ number: Int64, _ call: ScreenCall) {
        self.number = number
        session = call.session
        wish = call.wish
    }

    /// Nil if the content is not such a question.
    init?(_ content: [UInt8]) {
        guard let root = try? JSONDocument(parsing: content).root, let number = root.whole("number"),
            let session = root.text("session").flatMap({ SessionID($0) })
        else { return nil }
        self.number = number
        self.session = session
        guard let keys = root.text("keys") else {
            wish = .look(after: root.text("after"))
            return
        }
        guard let bytes = Base64URL.bytes(keys) else { return nil }
        wish = .type(bytes)
    }

    var content: [UInt8] {
        JSONWriter.object {
            $0.field("number", number)
            $0.field("session", session)
            wish.write(to: &$0)
        }
    }

    // MARK: Answers

    static func answer(_ answer: ScreenAnswer, to number: Int64) -> [UInt8] {
        JSONWriter.object {
            $0.field("number", number)
            answer.write(to: &$0)
        }
    }

    static func readAnswer(_ content: [UInt8]) -> (number: Int64, answer: ScreenAnswer)? {
        guard let root = try? JSONDocument(parsing: content).root, let number = root.whole("number"),
            let answer = try? ScreenAnswer(from: root)
        else { return nil }
        return (number, answer)
    }
}
