import Foundation

@testable import LiveActivityKit

typealias Attributes = HeliographActivityAttributes
typealias ContentState = HeliographActivityAttributes.ContentState

/// 2026-11-20T12:34:56Z, the moment of all fixtures; the sessions began 20 min 30 s before.
let moment = Date(timeIntervalSince1970: 1_795_178_096)
let began = Date(timeIntervalSince1970: 1_795_176_866)

/// Output of the relay's profile `heliograph`, written by hand from its list of fields.
enum Fixtures {
    static let attributes = """
        {"session":"sess_7f3a","title":"Fix APNs client","project":"relay","agent":"Claude Code","host":"studio"}
        """
    static let working = """
        {"status":"running","operation":"Editing APNsClient.swift",
        "progress":{"completed":3,"total":7,"current":"Fix token refresh race"},"approvals":0,"questions":0,
        "costMicroUSD":413200,"operations":12,"messages":18,"startedAt":816869666,"updatedAt":816870896}
        """
    static let approval = """
        {"status":"waitingApproval","progress":{"completed":3,"total":7},"approvals":1,"questions":0,
        "approval":{"id":"req_91","tool":"Bash","summary":"swift test","isQuestion":false,"isWhole":true},
        "costMicroUSD":413200,"operations":12,"messages":18,"startedAt":816869666,"updatedAt":816870896}
        """
    static let question = """
        {"status":"waitingAnswer","approvals":0,"questions":1,
        "approval":{"id":"req_92","tool":"AskUserQuestion","summary":"Which branch?","isQuestion":true},
        "operations":12,"messages":18,"startedAt":816869666,"updatedAt":816870896}
        """
    static let done = """
        {"status":"completed","operation":"All 7 tasks done","progress":{"completed":7,"total":7},"approvals":0,"questions":0,
        "costMicroUSD":771800,"operations":29,"messages":31,"startedAt":816869666,"updatedAt":816871496}
        """
    static let failed = """
        {"status":"failed","approvals":0,"questions":0,"operations":2,"messages":4,"error":"The API refused the key",
        "startedAt":816869666,"updatedAt":816870896}
        """
    static let budget = """
        {"status":"running","operation":"Running tests","approvals":0,"questions":0,"costMicroUSD":4100000,"budgetLevel":80,
        "operations":40,"messages":18,"startedAt":816869666,"updatedAt":816870896}
        """
    static let aggregateAttributes = """
        {"title":"3 sessions","agent":"Claude Code","host":"studio"}
        """
    static let aggregate = """
        {"status":"waitingApproval","approvals":2,"questions":1,"sessions":3,
        "approval":{"id":"req_91","tool":"Bash","summary":"swift te…","isQuestion":false,"session":"sess_7f3a"},
        "operations":12,"messages":18,"startedAt":816869666,"updatedAt":816870896}
        """
    /// With `sealed` a card has counts only.
    static let sealed = """
        {"status":"waitingApproval","approvals":1,"questions":0,"operations":12,"messages":18,
        "startedAt":816869666,"updatedAt":816870896}
        """

    /// Decodes like ActivityKit, with a default decoder.
    static func state(_ json: String) throws -> ContentState {
        try JSONDecoder().decode(ContentState.self, from: Data(json.utf8))
    }

    static func attributes(_ json: String = attributes) throws -> Attributes {
        try JSONDecoder().decode(Attributes.self, from: Data(json.utf8))
    }
}
