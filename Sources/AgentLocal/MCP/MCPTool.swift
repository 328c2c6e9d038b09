internal import RelayProtocol

/// The tools that `heliograph mcp` offers.
enum MCPTool: String, CaseIterable {
    case ask, approve, notify, progress

    private var about: String {
        switch self {
        case .ask:
            "Ask a person a question and wait for the answer, which comes from a phone, a page or a terminal. Use it when you cannot go on without a decision that only a person can make."
        case .approve:
            "Ask a person to allow one action with exactly this input, and wait. The answer is JSON: {\"behavior\":\"allow\",\"updatedInput\":{…}} or {\"behavior\":\"deny\",\"message\":\"…\"}. Anything else, an error included, is a no."
        case .notify:
            "Show people a message. Nobody answers it. With level \"error\" it rings on their phones."
        case .progress:
            "Show people how far the work has come."
        }
    }

    /// Names of the arguments; nil if others are permitted, because agents add some when they ask for permission.
    var arguments: Set<String>? {
        switch self {
        case .ask: ["question", "choices", "multiple", "choicesOnly"]
        case .approve: nil
        case .notify: ["message", "level"]
        case .progress: ["completed", "total", "current"]
        }
    }

    private var schema: String {
        switch self {
        case .ask:
            #"{"type":"object","properties":{"question":{"type":"string","description":"The question, with what a person has to know to answer it."},"choices":{"type":"array","maxItems":\#(WireLimits.questionsMax),"description":"Answers to choose from. A person can answer in their own words as well, unless choicesOnly.","items":{"anyOf":[{"type":"string"},{"type":"object","properties":{"label":{"type":"string"},"description":{"type":"string"}},"required":["label"]}]}},"multiple":{"type":"boolean","description":"Several choices may be taken."},"choicesOnly":{"type":"boolean","description":"No answer in own words."}},"required":["question"]}"#
        case .approve:
            #"{"type":"object","properties":{"tool_name":{"type":"string","description":"What is to be used, in a word: Deploy, Bash, Write."},"input":{"type":"object","description":"Its exact input. The answer counts for nothing else."},"tool_use_id":{"type":"string","description":"The name of this call, if it has one."}},"required":["tool_name","input"]}"#
        case .notify:
            #"{"type":"object","properties":{"message":{"type":"string"},"level":{"type":"string","enum":["info","error"]}},"required":["message"]}"#
        case .progress:
            #"{"type":"object","properties":{"completed":{"type":"integer","minimum":0},"total":{"type":"integer","minimum":0},"current":{"type":"string","description":"What is being done now, in a line."}},"required":["completed","total"]}"#
        }
    }

    var description: [UInt8] {
        JSONWriter.object {
            $0.field("name", rawValue)
            $0.field("description", about)
            $0.raw("inputSchema", schema.utf8)
            $0.object("annotations") {
                $0.field("readOnlyHint", true)
                $0.field("openWorldHint", false)
            }
        }
    }
}
