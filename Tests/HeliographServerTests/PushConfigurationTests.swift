import Foundation
import HeliographCrypto
import PushAPNs
import RelayProtocol
import Synchronization
import Testing

@testable import HeliographServer

@Suite struct PushConfigurationTests {
    private static let whole = #"""
        {"teams":[{"team":"ABCDE12345","key":"KEYID12345","file":"k.p8","bundles":["org.heliograph.app","b"],"environments":["sandbox"]},
         {"team":"ABCDE12345","key":"KEYID67890","file":"/abs/k.p8","bundles":["org.heliograph.app"],"environments":["production"]}],
         "hosts":{"channels":{"sandbox":{"host":"localhost","port":2195,"address":"127.0.0.1"},"production":{"host":"h"}}},
         "authority":"ca.pem"}
        """#

    private func parse(_ text: String) throws -> PushConfiguration { try PushConfiguration(parsing: Array(text.utf8)) }

    @Test func `it reads back as it was written`() throws {
        let configuration = try parse(Self.whole)
        #expect(configuration.teams.map(\.environments) == [[.sandbox], [.production]])
        #expect(configuration.team(of: "b") == "ABCDE12345")
        #expect(configuration.team(of: "c") == nil)
        #expect(try PushConfiguration(parsing: configuration.bytes) == configuration)
        #expect(try parse(#"{"teams":[]}"#) == PushConfiguration())
    }

    @Test
    func `the client gets a team with a key for each environment, files beside it, and Apple's hosts where none is named`()
        throws
    {
        let client = try parse(Self.whole).client(in: "/data")
        #expect(client.teams.map(\.teamID) == ["ABCDE12345"])
        #expect(client.teams.first?.keys[.sandbox]?.file == "/data/k.p8")
        #expect(client.teams.first?.keys[.production] == APNsKey(teamID: "ABCDE12345", keyID: "KEYID67890", file: "/abs/k.p8"))
        #expect(client.hosts[.channels]?[.sandbox] == .init("localhost", port: 2195, address: "127.0.0.1"))
        #expect(client.hosts[.channels]?[.production] == .init("h", port: 443))
        #expect(client.hosts[.devices] == APNsConfiguration.appleHosts[.devices])
        #expect(client.tokenFolder == "/data")
        #expect(client.authorityFile == "/data/ca.pem")
    }

    @Test(
        "what is wrong is named by its place",
        arguments: [
            ("{}", "$.teams"), (#"{"teams":[5]}"#, "$.teams[0]"), (#"{"teams":[],"team":1}"#, "$.team"),
            (#"{"teams":[{"team":"abcde12345"}]}"#, "$.teams[0].team"),
            (#"{"teams":[{"team":"ABCDE12345","key":"KEY"}]}"#, "$.teams[0].key"),
            (#"{"teams":[{"team":"ABCDE12345","key":"KEYID12345"}]}"#, "$.teams[0].file"),
            (#"{"teams":[{"team":"ABCDE12345","key":"KEYID12345","file":""}]}"#, "$.teams[0].file"),
            (#"{"teams":[{"team":"ABCDE12345","key":"KEYID12345","file":"k","bundles":[]}]}"#, "$.teams[0].bundles"),
            (
                #"{"teams":[{"team":"ABCDE12345","key":"KEYID12345","file":"k","bundles":["a","a b"]}]}"#,
                "$.teams[0].bundles[1]"
            ),
            (
                #"{"teams":[{"team":"ABCDE12345","key":"KEYID12345","file":"k","bundles":["a"],"environments":["moon"]}]}"#,
                "$.teams[0].environments[0]"
            ),
            (
                #"{"teams":[{"team":"ABCDE12345","key":"KEYID12345","file":"k","bundles":["a"],"environments":[]}]}"#,
                "$.teams[0].environments"
            ),
            (#"{"teams":[{"team":"ABCDE12345","key":"KEYID12345","file":"k","bundle":["a"]}]}"#, "$.teams[0].bundle"),
            (
                #"{"teams":[{"team":"ABCDE12345","key":"KEYID12345","file":"k","bundles":["a"]},{"team":"ZBCDE12345","key":"KEYID12345","file":"k","bundles":["a"]}]}"#,
                "$.teams[1].bundles[0]"
            ),
            (
                #"{"teams":[{"team":"ABCDE12345","key":"KEYID12345","file":"k","bundles":["a"]},{"team":"ABCDE12345","key":"KEYID12345","file":"k","bundles":["b"],"environments":["sandbox"]}]}"#,
                "$.teams[1].environments[0]"
            ),
            (#"{"teams":[],"hosts":{"phones":{}}}"#, "$.hosts.phones"),
            (#"{"teams":[],"hosts":{"devices":{"moon":{}}}}"#, "$.hosts.devices.moon"),
            (#"{"teams":[],"hosts":{"devices":{"sandbox":{"port":443}}}}"#, "$.hosts.devices.sandbox.host"),
            (#"{"teams":[],"hosts":{"devices":{"sandbox":{"host":"h","port":0}}}}"#, "$.hosts.devices.sandbox.port"),
            (#"{"teams":[],"authority":5}"#, "$.authority"), (#"{"teams":["#, "byte 10"),
        ])
    func faults(_ text: String, _ place: String) {
        let error = #expect(throws: WireError.self) { try parse(text) }
        #expect(error?.path == place)
    }

    @Test func `a new key takes the place of the old one, and the apps stay`() throws {
        var configuration = PushConfiguration()
        var setup = PushSetup(team: "ABCDE12345", key: "KEYID12345", file: "", bundle: "a")
        try configuration.add(setup, file: "1.p8")
        setup.bundle = "b"
        setup.key = "KEYID67890"
        setup.isSandboxOnly = true
        try configuration.add(setup, file: "2.p8")
        #expect(configuration.teams.map(\.key) == ["KEYID12345", "KEYID67890"])
        #expect(configuration.teams.map(\.environments) == [[.production], [.sandbox]])
        #expect(configuration.teams.map(\.bundles) == [["a", "b"], ["a", "b"]])
        #expect(try PushConfiguration(parsing: configuration.bytes) == configuration)

        setup.isSandboxOnly = false
        try configuration.add(setup, file: "2.p8")
        #expect(configuration.teams.map(\.key) == ["KEYID67890"])
        #expect(configuration.teams.map(\.bundles) == [["a", "b"]])

        setup.team = "ZBCDE12345"
        #expect(throws: ServerError.self) { try configuration.add(setup, file: "3.p8") }
    }

    @Test func `of keys that are set up at once each counts`() throws {
        let folder = try Folder()
        try folder.write("key.p8", ES256PrivateKey().pem)
        let faults = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 12) { number in
            let setup = PushSetup(
                team: "ABCDE1234\(number % 6)", key: "KEYID12345", file: "\(folder.path)/key.p8", bundle: "a\(number)")
            do { _ = try setup.perform(in: folder.path) } catch { faults.withLock { $0.append("\(error)") } }
        }
        #expect(faults.withLock(\.self) == [])
        let teams = try PushConfigurationFile.read("\(folder.path)/push.json").teams
        #expect(Set(teams.flatMap(\.bundles)) == Set((0..<12).map { "a\($0)" }))
    }

    @Test func `the file is read when it has changed, and its fault names file and field, once`() throws {
        let folder = try Folder()
        var file = PushConfigurationFile(directory: folder.path)
        guard case .read(nil) = try file.look() else { return #expect(Bool(false), "there is no file yet") }
        guard case .unchanged = try file.look() else { return #expect(Bool(false), "there is none still") }
        try folder.write("push.json", Self.whole)
        guard case .read(let read?) = try file.look() else { return #expect(Bool(false), "there is one now") }
        #expect(read.teams.count == 2)
        try folder.write("push.json", #"{"teams":[{"team":5}]}"#)
        let fault = #expect(throws: ServerError.self) { try file.look() }
        #expect(fault?.description.contains("push.json, $.teams[0].team: ") == true)
        guard case .unchanged = try file.look() else { return #expect(Bool(false), "it has been told") }
    }
}
