internal import RelayProtocol

/// Output of a PermissionRequest, PreToolUse or Elicitation hook, in the spellings that were seen to work (facts/agents.md 2.4).
package enum ClaudeAnswer {
    static let planTool = "ExitPlanMode"
    /// The event at which a tool server asks; its hook may answer.
    package static let elicitation = "Elicitation"

    /// Allows a call. A plan counts as approved only if the answer has an input; its own is empty, because the plan is in a file.
    /// The answer also sets the mode in which the agent continues: if none was chosen, the one that asks before each edit.
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

    /// Allows a call with another input. The agent's model is not told that it is another.
    static func allow(input: [UInt8]) -> [UInt8] {
        decision {
            $0.field("behavior", "allow")
            $0.raw("updatedInput", input)
        }
    }

    /// Allows a call and accepts a suggestion of Claude's, passed byte for byte.
    static func allow(updating suggestion: [UInt8]) -> [UInt8] {
        decision {
            $0.field("behavior", "allow")
            $0.array("updatedPermissions", [suggestion])
        }
    }

    /// Answers a PreToolUse: the tool needs approval, whatever the agent's own rules would let run.
    package static let ask = demand("ask", reasons[0])
    /// Answers a PreToolUse with the same demand, because a person wants to be asked about every tool.
    static let askAll = demand("ask", reasons[1])
    /// Answers a PreToolUse with the same demand, because no daemon can say which session this is.
    package static let askUnheard = demand("ask", reasons[2])

    /// Answers a PreToolUse likewise if nobody is at a terminal: without a daemon nobody can be asked, and a program might answer.
    package static let refuseUnheard = demand("deny", reasons[2])

    /// Answers a PreToolUse: the tool needs approval, because one of the owner's rules denies or asks. The rules then answer the
    /// question that Claude Code asks.
    package static let askRuled = demand("ask", "A rule of this host is about this call: it needs approval.")

    /// Answers a PreToolUse that would be asked about if a person could answer: the tool does not run.
    static let refuseHeld = demand("deny", reasons[0])
    /// The same for a call that a rule denies or wants asked about.
    static let refuseRuled = demand("deny", reasons[3])

    private static let reasons = [
        "The budget is spent: from here on every tool needs approval.",
        "A client has asked for this: every tool needs approval here.",
        "The host does not answer. It has a session in which every tool needs approval, and this may be that one.",
        "A rule of this host denies this call or has a person asked about it, and a program answers for people here.",
    ]

    /// True for the result of a tool that was refused in our words.
    static func isRefused(_ result: String) -> Bool { reasons.contains(result) }
    /// True if it was refused because Claude Code had nobody to ask (`claude -p`).
    static func isUnasked(_ result: String) -> Bool { reasons.dropLast().contains(result) }

    private static func demand(_ decision: String, _ reason: String) -> [UInt8] {
        JSONWriter.object {
            $0.object("hookSpecificOutput") {
                $0.field("hookEventName", "PreToolUse")
                $0.field("permissionDecision", decision)
                $0.field("permissionDecisionReason", reason)
            }
        }
    }

    /// Answers a PreToolUse: the turn ends here. Without the denial in it the tool would still run.
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

    /// Answers questions. `questions`: Claude's own, byte for byte.
    static func answer(questions: some Sequence<UInt8>, answers: [(question: String, value: String)]) -> [UInt8] {
        decision {
            $0.field("behavior", "allow")
            $0.object("updatedInput") {
                $0.raw("questions", questions)
                $0.raw("answers", object(answers))
            }
        }
    }

    /// Output of an Elicitation hook that fills in the tool server's form.
    static func fillIn(_ content: [UInt8]) -> [UInt8] {
        elicitation("accept") { $0.raw("content", content) }
    }

    /// Output of an Elicitation hook that declines; it cannot contain a reason.
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
