import HeliographCrypto
import RelayCore
import RelayModel
import RelayProtocol
import StoreSQLite
import StoreTestSupport
import Testing

/// Contract of every implementation of `PictureStore`.
@Suite(.scratch) struct PictureStoreContract {
    private func picture(_ byte: UInt8, count: Int = 64) -> KeptPicture {
        let content: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + Array(repeating: byte, count: count - 8)
        let digest = PictureDigest(Crypto.hex(Crypto.sha256(content)))!
        return KeptPicture(Picture(digest: digest, type: .png, bytes: content.count), content)
    }

    private func made(_ implementation: Implementation) throws -> Implementation.Ports {
        let ports = try implementation.ports()
        for key in [SessionKey.first, .second] {
            var writer = Writer(key)
            try ports.log.commit(writer.batch(2))
        }
        return ports
    }

    @Test(arguments: Implementation.allCases)
    func `a picture is kept once, beside its session, and nowhere else`(_ implementation: Implementation) throws {
        let store = try made(implementation).pictures
        let one = picture(1)
        #expect(try store.keep(one, of: .first, at: 5_000))
        #expect(try store.keep(one, of: .first, at: 6_000))
        #expect(try store.picture(one.named.digest, in: .home, of: nil) == one)
        #expect(try store.picture(one.named.digest, in: .home, of: id("host1")) == one)
        #expect(try store.picture(one.named.digest, in: .home, of: id("other-host")) == nil)
        #expect(try store.picture(one.named.digest, in: .other, of: nil) == nil)
        #expect(try store.hasPictures([one.named], of: .first))
        #expect(try !store.hasPictures([one.named], of: .second))
        #expect(try !store.hasPictures([one.named, picture(2).named], of: .first))
        var other = one.named
        other.bytes += 1
        #expect(try !store.hasPictures([other], of: .first), "as it is named")
    }

    @Test(arguments: Implementation.allCases)
    func `where there is no session there is no picture`(_ implementation: Implementation) throws {
        let store = try made(implementation).pictures
        #expect(try !store.keep(picture(1), of: SessionKey(workspace: .home, session: id("none")), at: 5_000))
        #expect(try !store.keep(picture(1), of: SessionKey(workspace: .other, session: id("s1")), at: 5_000))
    }

    @Test(arguments: Implementation.allCases)
    func `the workspace's oldest go first`(_ implementation: Implementation) throws {
        let store = try made(implementation).pictures
        let size = WireLimits.pictureBytesMax
        let fitting = PictureLimits.workspaceBytesMax / size
        let all = (0...fitting).map { picture(UInt8($0), count: size) }
        for (place, one) in all.enumerated() {
            #expect(try store.keep(one, of: .first, at: 5_000 + Int64(place)))
            // The first is sent again, and is new by that.
            if place == 1 { #expect(try store.keep(all[0], of: .first, at: 5_002)) }
        }
        #expect(try store.picture(all[1].named.digest, in: .home, of: nil) == nil)
        #expect(try store.hasPictures([all[0].named, all[2].named, all[fitting].named], of: .first))
    }

    @Test(arguments: Implementation.allCases)
    func `retention takes pictures with the events that came after them, and with their session`(
        _ implementation: Implementation
    )
        throws
    {
        let ports = try made(implementation)
        let writer = Writer(.first, seq: 2)
        let (before, after) = (picture(1), picture(2))
        // The events of `Writer` are of 1,001 and 1,002.
        #expect(try ports.pictures.keep(before, of: .first, at: 1_001))
        #expect(try ports.pictures.keep(after, of: .first, at: 1_002))
        try ports.log.commit(LogBatch(trims: [SessionTrim(key: .first, through: 1, state: writer.state(seq: 2))]))
        #expect(try !ports.pictures.hasPictures([before.named], of: .first))
        #expect(try ports.pictures.hasPictures([after.named], of: .first))
        try ports.log.commit(LogBatch(trims: [SessionTrim(key: .first, through: 2, state: nil)]))
        #expect(try ports.pictures.picture(after.named.digest, in: .home, of: nil) == nil)
        #expect(try !ports.pictures.keep(after, of: .first, at: 2_000), "it is removed")
    }
}
