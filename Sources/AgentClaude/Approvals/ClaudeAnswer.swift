internal import RelayProtocol

/// Output of a PermissionRequest, PreToolUse or Elicitation hook, in the spellings that were seen to work (facts/agents.md 2.4).
package enum ClaudeAnswer {
    static let planTool = "ExitPlanMode"
    /// The event at which a server of tools asks, and its hook may answer it.
    package static let elicitation = "Elicitation"

    /// A plan counts as approved only if the answer has an input; its own is empty, and the plan is in a file. The answer also gives the
    /// mode in which the agent goes on: if none was chosen, the one that asks before each edit.
    static func allow(tool: String, mode: String? = nil) -> [UInt8] {
        decision {
            $0.field("behavior", "allow")
            guard tool == planTool else { return }
            $0.object("updatedInput") { _ in }
            let update = JSONWriter.object {
                $0.field("type", "setMode")
                $0.field("mode", mode ?? ClaudeForm.askingMode)
                $0.field("destination", "session")
            }
            $0.array("updatedPermissions", [update])
        }
    }

    /// `suggestion` is what Claude suggested, byte for byte.
    static func allow(updating suggestion: [UInt8]) -> [UInt8] {
        decision {
            $0.field("behavior", "allow")
            $0.array("updatedPermissions", [suggestion])
        }
    }

    /// Answers a PreToolUse: the tool needs approval, whatever the agent's own rules would let run.
    package static let ask = ask(reasons[0])
    /// The same, as a person wants it.
    static let askAll = ask(reasons[1])
    /// The same if no daemon can say which of the sessions this is.
    package static let askUnheard = ask(reasons[2])

    /// The same if one of the owner's rules denies or asks: what Claude Code then asks, the rules answer.
    package static let askRuled = ask("A rule of this host is about this call: it needs approval.")

    private static let reasons = [
        "The budget is spent: from here on every tool needs approval.",
        "A client has asked for this: every tool needs approval here.",
        "The host is not heard, and some session's every tool needs approval: this one's may.",
    ]

    /// True for the result of a tool that Claude Code could ask nobody about (`claude -p`): it is then refused in our words.
    static func isUnasked(_ result: String) -> Bool { reasons.contains(result) }

    private static func ask(_ reason: String) -> [UInt8] {
        JSONWriter.object {
            $0.object("hookSpecificOutput") {
                $0.field("hookEventName", "PreToolUse")
                $0.field("permissionDecision", "ask")
                $0.field("permissionDecisionReason", reason)
            }
        }
    }

    /// Answers a PreToolUse: the turn ends here. Without the denial the tool would still run.
    static func stop(_ reason: String) -> [UInt8] {
        JSONWriter.object {
            $0.field("continue", false)
            $0.field("stopReason", reason)
            $0.object("hookSpecificOutput") {
                $0.field("hookEventName", "PreToolUse")
                $0.field("permissionDecision", "deny")
                $0.field("permissionDecisionReason", reason)
            }
        }
    }

    static func deny(_ message: String) -> [UInt8] {
        decision {
            $0.field("behavior", "deny")
            $0.field("message", message)
        }
    }

    /// `questions` is what Claude wrote, byte for byte.
    static func answer(questions: some Sequence<UInt8>, answers: [(question: String, value: String)]) -> [UInt8] {
        decision {
            $0.field("behavior", "allow")
            $0.object("updatedInput") {
                $0.raw("questions", questions)
                $0.raw("answers", object(answers))
            }
        }
    }

    /// Output of an Elicitation hook: the form of a tool server, filled in.
    static func fillIn(_ content: [UInt8]) -> [UInt8] {
        elicitation("accept") { $0.raw("content", content) }
    }

    /// The same for a denial. There is no place for a reason.
    static let decline = elicitation("decline") { _ in }

    private static func elicitation(_ action: String, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
        JSONWriter.object {
            $0.object("hookSpecificOutput") {
                $0.field("hookEventName", ClaudeAnswer.elicitation)
                $0.field("action", action)
                body(&$0)
            }
        }
    }

    private static func object(_ members: [(question: String, value: String)]) -> [UInt8] {
        var bytes: [UInt8] = [UInt8(ascii: "{")]
        for (position, member) in members.enumerated() {
            if position > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += JSONWriter.string(member.question) + [UInt8(ascii: ":")] + JSONWriter.string(member.value)
        }
        return bytes + [UInt8(ascii: "}")]
    }

    private static func decision(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
        JSONWriter.object {
            $0.object("hookSpecificOutput") {
                $0.field("hookEventName", "PermissionRequest")
                $0.object("decision", body)
            }
        }
    }
}
