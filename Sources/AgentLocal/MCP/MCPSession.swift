internal import HostCore
internal import RelayProtocol

/// One client's calls as a session that people see, made by requests of the local protocol.
struct MCPSession {
    let name: String
    /// The folder in which the client started this program.
    let folder: String
    let waitSeconds: Int64

    func started(by client: MCPClient) -> [UInt8] {
        line("session.started") {
            $0.object("head") {
                $0.object("agent") {
                    $0.field("name", client.name)
                    $0.field("version", client.version)
                }
                $0.field("cwd", folder)
            }
        } + line("status.changed") { $0.object("head") { $0.field("status", "running") } }
    }

    var ended: [UInt8] { line("session.ended") { $0.object("head") { _ in } } }

    /// A message, or an error, which unlike a message makes devices ring.
    func notice(_ message: String, isError: Bool) -> [UInt8] {
        let said = line("message") {
            $0.object("head") { $0.field("role", "assistant") }
            $0.object("body") { $0.field("text", message) }
        }
        guard isError else { return said }
        return said
            + line("error") {
                $0.object("head") {
                    $0.field("message", TextCut.line(message))
                    $0.field("recoverable", true)
                }
            }
    }

    func progress(completed: Int64, total: Int64, current: String?) -> [UInt8] {
        line("todo.changed") {
            $0.object("head") {
                $0.field("completed", completed)
                $0.field("total", total)
                $0.field("current", current.map { TextCut.line($0) })
            }
        }
    }

    func approval(_ approval: String, tool: String, input: [UInt8], by client: MCPClient) -> [UInt8] {
        asked(approval, "tool", by: client) {
            $0.field("tool", tool)
            $0.raw("input", input)
        }
    }

    func question(
        _ approval: String, _ text: String, choices: [MCPWish.Choice], isMultiple: Bool, choicesOnly: Bool, by client: MCPClient
    ) -> [UInt8] {
        let question = JSONWriter.object {
            $0.field("id", "answer")
            $0.field("text", text)
            $0.flag("multiple", isMultiple)
            $0.flag("choicesOnly", choicesOnly)
            $0.array(
                "choices",
                choices.map { choice in
                    JSONWriter.object {
                        $0.field("label", choice.label)
                        $0.field("description", choice.description)
                    }
                })
        }
        return asked(approval, "question", by: client) { $0.array("questions", [question]) }
    }

    func settled(_ approval: String, _ outcome: LocalSettlement.Outcome) -> [UInt8] {
        JSONWriter.object {
            $0.field("session", name)
            $0.field("approval", approval)
            $0.field("outcome", outcome.rawValue)
        }
    }

    private func asked(_ approval: String, _ kind: String, by client: MCPClient, _ body: (inout JSONWriter) -> Void) -> [UInt8]
    {
        JSONWriter.object {
            $0.field("session", name)
            $0.field("agent", client.name)
            $0.field("approval", approval)
            $0.field("kind", kind)
            $0.field("waitSeconds", waitSeconds)
            body(&$0)
        }
    }

    private func line(_ kind: String, _ content: (inout JSONWriter) -> Void) -> [UInt8] {
        JSONWriter.object {
            $0.field("session", name)
            $0.field("kind", kind)
            content(&$0)
        } + [UInt8(ascii: "\n")]
    }
}
