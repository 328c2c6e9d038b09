package import RelayProtocol

/// A tool call that is to be judged.
package struct RuleCall {
    package var agent: String
    package var tool: String
    /// The whole input, with nothing left out or hidden; nil if it was not shown so: then no rule allows it.
    package var input: JSONValue?
    /// In which the session works, absolute.
    package var folder: String?
    /// The owner's own, absolute.
    package var home: String

    package init(agent: String, tool: String, input: JSONValue?, folder: String?, home: String) {
        self.agent = agent
        self.tool = tool
        self.input = input
        self.folder = folder
        self.home = home
    }
}
