package import HostRules
package import RelayProtocol

extension RuleCall {
    /// The call as people were shown it. `event`: the request's event.
    package init(
        _ request: ApprovalRequest, _ event: Event, of agent: String, in folder: String?, present: String? = nil, home: String
    ) {
        let isWhole = !request.isRedacted && !request.isCut
        let input = isWhole ? event.bodyMembers.first { $0.key == "input" }?.value : nil
        self.init(agent: agent, tool: request.tool, input: input, folder: folder, present: present, home: home)
    }
}

extension Event {
    var bodyMembers: [(key: String, value: JSONValue)] {
        (try? JSONDocument(parsing: bytes).root.optional("body")?.members()) ?? []
    }
}
