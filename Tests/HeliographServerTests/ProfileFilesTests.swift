import ChannelAPNs
import Foundation
import RelayProtocol
import Testing

@testable import HeliographServer

@Suite struct ProfileFilesTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func makeFolder() throws {
        try FileManager.default.createDirectory(atPath: folder.path + "/profiles", withIntermediateDirectories: false)
    }

    @Test func `profiles are read whole, in the order of their names`() throws {
        #expect(try ProfileFiles.read(in: folder.path).isEmpty)
        try makeFolder()
        try folder.write("profiles/b.json", #"{"b": 1}"#)
        try folder.write("profiles/a.json", "{}")
        try folder.write("profiles/notes.txt", "no profile")
        try folder.write("profiles/.hidden.json", "no profile")
        let profiles = try ProfileFiles.read(in: folder.path)
        #expect(profiles.map(\.name) == ["a", "b"])
        #expect(profiles.map(\.bytes) == [Array("{}".utf8), Array(#"{"b": 1}"#.utf8)])
    }

    @Test(arguments: [("", "byte 0"), ("[]", "$"), (#"{"a":1,"a":2}"#, "byte")])
    func `what is no JSON object is named by file and place`(_ text: String, _ place: String) throws {
        try makeFolder()
        try folder.write("profiles/bad.json", text)
        let fault = #expect(throws: ServerError.self) { try ProfileFiles.read(in: folder.path) }
        #expect(fault?.description.contains("profiles/bad.json, \(place)") == true)
    }

    @Test func `an app with a key and without a profile is missed, and not once there is one`() throws {
        #expect(try PushSetup.lack(of: "org.heliograph.app", in: folder.path) == nil)
        #expect(try PushSetup.lack(of: "org.example.mine", in: folder.path) == "no profile is for org.example.mine")
        try makeFolder()
        let ours = String(decoding: try #require(ProfileSet.document(ofShipped: "heliograph")), as: UTF8.self)
        try folder.write("profiles/mine.json", ours.replacing("org.heliograph.app", with: "org.example.mine"))
        #expect(try PushSetup.lack(of: "org.example.mine", in: folder.path) == nil)
    }

    @Test func `what is too long is another file`() throws {
        try makeFolder()
        try folder.write("profiles/bad.json", "{\(String(repeating: " ", count: ProfileFiles.bytesMax))}")
        #expect(throws: ServerError.self) { try ProfileFiles.read(in: folder.path) }
    }
}
