import Foundation
import Testing

@testable import HeliographServer

@Suite("Local times by the machine's tz database")
struct TimeZonesTests {
    private static let folder = "/usr/share/zoneinfo/"

    /// One name of each zone, but for the copies of the database with leap seconds.
    private static let names: [String] = {
        var seen: Set<Data> = []
        let paths = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return paths.sorted().filter { path in
            guard !path.hasPrefix("right/"), let bytes = FileManager.default.contents(atPath: folder + path) else {
                return false
            }
            return bytes.starts(with: "TZif".utf8) && seen.insert(bytes).inserted
        }
    }()

    /// The offsets that coreutils' `date` prints, in seconds.
    private func offsets(_ zone: String, at times: [Int64]) throws -> [Int64] {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/date")
        process.arguments = ["--file=-", "+%::z"]
        process.environment = ["TZ": zone]
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(times.map { "@\($0)\n" }.joined().utf8))
        try input.fileHandleForWriting.close()
        let said = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: said, as: UTF8.self).split(separator: "\n").map { line in
            let parts = line.dropFirst().split(separator: ":").compactMap { Int64($0) }
            return (line.first == "-" ? -1 : 1) * (parts[0] * 3_600 + parts[1] * 60 + parts[2])
        }
    }

    @Test("each zone has the offsets that date prints, from 1900 to 2150")
    func all() throws {
        #expect(Self.names.count > 300)
        var random = SystemRandomNumberGenerator()
        for name in Self.names {
            let zone = try #require(TimeZones.zone(name), "\(name)")
            var times = (0..<60).map { _ in Int64.random(in: -2_208_988_800...5_680_281_600, using: &random) }
            // Both sides of each change of a year to come.
            for day: Int64 in 0..<366 {
                times.append(2_082_758_400 + day * 86_400 + Int64.random(in: 0..<86_400, using: &random))
            }
            let expected = try offsets(name, at: times)
            let found = times.map { zone.offset(at: $0) }
            let wrong = zip(times, zip(found, expected)).first { $1.0 != $1.1 }
            #expect(found == expected, "\(name): \(wrong.map { "\($0)" } ?? "")")
        }
    }

    @Test("a change counts to the second")
    func changes() throws {
        let changes: [(String, Int64)] = [
            ("Europe/Berlin", 2_090_451_600), ("America/New_York", 2_109_218_400), ("Australia/Sydney", 2_091_024_000),
        ]
        for (name, change) in changes {
            let times = [change - 1, change]
            let expected = try offsets(name, at: times)
            let zone = try #require(TimeZones.zone(name))
            #expect(times.map { zone.offset(at: $0) } == expected && expected[0] != expected[1], "\(name)")
        }
    }

    @Test("the minute of the week is counted from Monday, also before 1970")
    func weekMinute() {
        // Monday, 5 January 1970, 0:00 UTC.
        #expect(TimeZones.weekMinute("UTC", 345_600_000) == 0)
        #expect(TimeZones.weekMinute("Europe/Berlin", 345_600_000) == 60)
        #expect(TimeZones.weekMinute("UTC", 345_600_000 - 1) == 10_079)
        #expect(TimeZones.weekMinute("UTC", -60_000) == 4_319)
    }

    @Test(
        "what is no name of a zone is none",
        arguments: [
            "", "/etc/passwd", "../zoneinfo/UTC", "Europe/../UTC", "Europe//Berlin", "Europe/Berlin/", "tzdata.zi",
            "Nowhere/City",
        ])
    func names(_ name: String) {
        #expect(TimeZones.weekMinute(name, 0) == nil)
    }

    @Test("a damaged file is none, or has some offset")
    func damaged() throws {
        let whole = try Array(Data(contentsOf: URL(fileURLWithPath: Self.folder + "America/New_York")))
        for count in 0..<whole.count { #expect(ZoneFile(Array(whole.prefix(count))) == nil, "\(count)") }
        for place in whole.indices {
            var bytes = whole
            bytes[place] ^= 0xFF
            _ = ZoneFile(bytes)?.offset(at: 2_000_000_000)
        }
    }

    @Test(
        "a rule of another form is none",
        arguments: [
            "", "CET", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,J366,J1",
            "<+03-3",
            "CET-999",
        ])
    func rules(_ text: String) {
        #expect(ZoneRule(text) == nil)
    }

    @Test("a rule may count days of the year, and a change may be on another day")
    func otherRules() throws {
        for text in [
            "XXX3YYY,J60/0,J300/0", "XXX3YYY,59/0,299", "XXX-2YYY,M3.4.4/50,M10.4.4/50", "XXX2YYY1,M3.5.0/-1,M10.5.0/0",
            "XXX-1YYY0,M10.5.0,M3.5.0/1",
        ] {
            let rule = try #require(ZoneRule(text))
            let times = (0..<1_500).map { 1_000_000_000 + Int64($0) * 43_211 }
            #expect(times.map { rule.offset(at: $0) } == (try offsets(text, at: times)), "\(text)")
        }
    }
}
