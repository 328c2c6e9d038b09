import HeliographServer
import Testing

@Suite("What push status says to people") struct PushStatusTests {
    private static let origin =
        #"{"service":"updates.push.services.mozilla.com","connected":true,"waiting":0,"flying":1}"#

    private static func lines(teams: String = "", trouble: String? = nil, web: String, origins: String = "") throws -> [String]
    {
        let trouble = trouble.map { #","trouble":"\#($0)""# } ?? ""
        return try PushStatus.lines(
            Array(
                #"{"teams":[\#(teams)]\#(trouble),"flying":0,"lanes":[],"web":{\#(web)"origins":[\#(origins)]},"outcomes":[]}"#
                    .utf8))
    }

    @Test(
        "a person with browsers alone hears how those are, and that they need no key of Apple's",
        arguments: [
            (#""used":true,"#, "", "browsers: ready, nothing was sent since the relay started"),
            ("", "", "browsers: ready; switch notifications on in the page of each, under Devices"),
            (#""trouble":"no contact","#, "", "browsers: not yet possible: no contact"),
            (#""used":true,"trouble":"no contact","#, "", "trouble: nothing is pushed to browsers: no contact"),
            (#""used":true,"#, origin, "browsers, updates.push.services.mozilla.com: connected, 0 waiting, 1 on their way"),
        ])
    func browsers(_ web: String, _ origins: String, _ line: String) throws {
        #expect(
            try Self.lines(web: web, origins: origins) == [
                "apps: no key for Apple's push service: heliograph push setup (browsers need none)", line,
                "no pushes since the relay started",
            ])
    }

    @Test("an error in the settings for Apple is a problem, whoever has browsers")
    func apple() throws {
        let lines = try Self.lines(trouble: "push.json: no such key", web: #""used":true,"#)
        #expect(lines.first == "trouble: push.json: no such key" && !lines.contains { $0.hasPrefix("apps:") })
    }
}
