import Foundation
import PushPlanner
import PushTestSupport
import RelayProtocol
import Testing

@testable import ChannelAPNs

/// Tests that the page for authors of apps is complete, and that its examples work.
@Suite("Profiles.md") struct ProfileDocumentTests {
    static let page = try! String(
        contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/HeliographServer/HeliographServer.docc/Profiles.md"), encoding: .utf8)

    private func example() throws -> Profile {
        let start = try #require(Self.page.range(of: "```json\n"))
        let end = try #require(Self.page.range(of: "```", range: start.upperBound..<Self.page.endIndex))
        return try Profile(parsing: Array(Self.page[start.upperBound..<end.lowerBound].utf8), name: "courier")
    }

    @Test("its example is a profile, and makes what the app declares")
    func exampleWorks() throws {
        let profile = try example()
        let made = profile.contentState(PushSubjects.golden("approval"), bytesMax: 3_072)
        #expect(
            String(decoding: made, as: UTF8.self)
                == #"{"phase":"asking","share":0.4286,"spent":0.4132,"asked":{"id":"req_91","text":"Run: swift test"},"since":816869666}"#
        )
        #expect(profile.attributes(PushSubjects.golden("approval")) == Array(#"{"title":"Fix APNs client"}"#.utf8))
        #expect(profile.textMax == .summary)
        #expect(profile.relevance(of: .idle) == 5)
    }

    @Test("it names every source, key, operation, status and shipped profile")
    func isComplete() {
        let words =
            PushSource.allCases.map { "`$\($0.rawValue)`" } + Profile.keys.map { "`\($0)`" }
            + PushExpression.operations.map { "{\"\($0)\": " } + SessionStatus.allCases.map { "`\($0.rawValue)`" }
            + ProfileSet().all.map { "`\($0.name)`" } + ["plusSeconds", "textBytes", "totalBytes", "approvalWithoutAllow"]
        for word in words { #expect(Self.page.contains(word), "\(word)") }
    }

    @Test("its defaults are the defaults")
    func defaults() throws {
        let profile = try ProfileTests.profile(ProfileTests.text("{}"))
        func number(_ milliseconds: Int64) -> String {
            let digits = String(milliseconds / 1_000)
            return digits.count > 3 ? digits.dropLast(3) + "," + digits.suffix(3) : digits
        }
        for (key, value) in [
            ("staleAfterSeconds", number(profile.staleAfter)), ("maximumAgeSeconds", number(profile.maximumAge)),
            (
                "dismissalSeconds",
                [profile.dismissal.completed, profile.dismissal.failed, profile.dismissal.cancelled].map(number)
                    .joined(separator: ", ")
            ),
            ("limits", "512, 4,096"), ("text", "`\(profile.textMax.rawValue)`"),
        ] {
            let row = Self.page.split(separator: "\n").first { $0.hasPrefix("| `\(key)` |") }
            #expect(row?.hasSuffix("| \(value) |") == true, "\(key): \(row ?? "no row")")
        }
    }
}
