import Foundation
import HeliographTestSupport
import Testing

@testable import HeliographServer

@Suite struct StoreAddressTests {
    @Test(arguments: [
        "postgresql://db.example/heliograph", "postgres://ada@db.example:5433,other/heliograph?target_session_attrs=read-write",
        "postgresql:///heliograph?host=/run/postgresql", "postgresql://[::1]:5432/heliograph",
        "postgresql://ada@[::1]/heliograph",
    ])
    func `an address of a database is one`(_ text: String) {
        #expect(StoreAddress.read(text) == text)
    }

    @Test(arguments: [
        "", "db.example", "mysql://db.example/heliograph", "postgresql:/heliograph", "postgresql://a b/heliograph",
        "postgresql://ada:secret@db.example/heliograph", "postgresql://db.example/heliograph?password=secret",
        "postgresql://ada@db.example/heliograph?sslpassword=secret", "postgresql://db.example/heliograph?p%61ssword=secret",
    ])
    func `what is none, or has a password, is not taken`(_ text: String) {
        #expect(StoreAddress.read(text) == nil)
    }

    @Test(arguments: [
        "postgresql://ada:secret@db.example/heliograph", "postgresql://db.example/heliograph?password=secret",
        "postgresql://db.example/h?%70assword=secret", "mysql://ada:secret@db/h", "host=db user=ada PASSWORD='secret'",
    ])
    func `a password in what is refused is not shown`(_ text: String) throws {
        let error = #expect(throws: ServerError.self) {
            try EffectiveSettings(dataDirectory: TemporaryFolders.make().path, flags: ["store": text], environment: [:])
        }
        let said = try #require(error).description
        #expect(said.contains("--store: store takes") && !said.contains("secret"), "\(said)")
    }

    @Test func `what was meant as a database is no folder to move to`() throws {
        let text = "postgresql://ada:secret@db.example/heliograph"
        let error = #expect(throws: ServerError.self) { try StoreMigration.End(text) { $0 } }
        #expect(error?.description.contains("secret") == false)
        #expect(try StoreMigration.End("/srv/relay") { $0 } == .folder("/srv/relay"))
    }

    @Test func `a folder notes the address of its relay's database`() throws {
        let folder = try TemporaryFolders.make().path
        #expect(try StoreAddressFile.read(in: folder) == nil && !Storage.hasRemains(in: folder))
        try StoreAddressFile.write("postgresql:///heliograph", in: folder)
        #expect(try StoreAddressFile.read(in: folder) == "postgresql:///heliograph" && Storage.hasRemains(in: folder))
        try "elsewhere".write(toFile: folder + "/store.url", atomically: true, encoding: .utf8)
        #expect(throws: ServerError.self) { try StoreAddressFile.read(in: folder) }
        #expect(Storage.hasRemains(in: folder))
    }
}
