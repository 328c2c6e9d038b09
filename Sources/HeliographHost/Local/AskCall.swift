internal import AgentLocal
internal import Glibc
internal import HeliographHook
internal import RelayProtocol

/// `heliograph ask`: asks a person, waits, and prints the answer. If it is killed, it withdraws its question.
package struct AskCall {
    /// Exit status for the shell. Only 0 means yes.
    package enum Outcome: Int32, Sendable {
        case allowed = 0
        case denied = 1
        case undecided = 2
    }

    package var session: String
    package var approval: String?
    package var agent: String?
    package var tool: String?
    package var title: String?
    /// The tool's input, as JSON.
    package var input: String?
    /// The questions, as JSON.
    package var questions: String?
    package var waitSeconds: Int64
    package var process: Int32?

    package init(session: String, waitSeconds: Int64) {
        self.session = session
        self.waitSeconds = waitSeconds
    }

    package func run() -> Outcome {
        signal(SIGPIPE, SIG_IGN)
        let body: [UInt8]
        do throws(HostError) { body = try makeBody() } catch {
            ProgramRequest.complain(error.message)
            return .undecided
        }
        let request = ProgramRequest(process: process ?? getppid())
        guard let (status, answer) = request.exchange("ask", body).wait() else {
            ProgramRequest.complain("no host daemon answers; is `heliograph host` running?")
            return .undecided
        }
        guard status == 200 else {
            if status != 204 { ProgramRequest.complain(ProgramRequest.sentence(status, answer)) }
            return .undecided
        }
        let root = try? JSONDocument(parsing: answer).root
        guard let decision = (try? root?.optionalString("decision")) ?? nil else { return .undecided }
        HookStream.write(Array((JSONLine.text(answer) + "\n").utf8))
        switch decision {
        case "allow", "answer": return .allowed
        case "deny": return .denied
        default: return .undecided
        }
    }

    private func makeBody() throws(HostError) -> [UInt8] {
        // A question without a given name is a new one.
        guard let name = approval ?? HookRequest.randomCall() else {
            throw HostError(.system, "the kernel has no random bytes")
        }
        // Each text is checked alone: two that are joined could be read as something else.
        for (name, text) in [("--questions", questions), ("--input", input)] {
            guard let text else { continue }
            do throws(WireError) { _ = try JSONDocument(parsing: Array(text.utf8)) } catch {
                throw HostError(.badInput, "\(name) is not one JSON value: \(error.path): \(error.message)")
            }
        }
        let body = JSONWriter.object {
            $0.field("session", session)
            $0.field("approval", name)
            $0.field("agent", agent)
            $0.field("kind", questions == nil ? "tool" : "question")
            $0.field("tool", tool)
            $0.field("title", title)
            if let questions { $0.raw("questions", questions.utf8) } else { $0.raw("input", (input ?? "{}").utf8) }
            $0.field("waitSeconds", waitSeconds)
        }
        do throws(LocalError) { _ = try LocalAsk(parsing: body) } catch {
            throw HostError(.badInput, "the question is not as it should be: \(error.path): \(error.message)")
        }
        return body
    }
}
