internal import CHeliographLibwebsockets
internal import Glibc

/// Writes whole frames to a connection for which libwebsockets buffers nothing.
enum FrameWriter {
    enum Outcome {
        case failed
        case sent
        /// Written through libwebsockets, which may have kept a part.
        case taken
    }

    /// Without TLS, `descriptor` is the socket and the frames go straight to it: thousands of times a turn, what `lws_write` looks at on its
    /// way there costs more than all the rest of ours. Negative with TLS.
    @inline(__always)
    static func write(_ frames: UnsafeMutableRawBufferPointer, to wsi: OpaquePointer?, _ descriptor: Int32) -> Outcome {
        let sent = unsafe descriptor < 0 ? -1 : send(descriptor, frames.baseAddress, frames.count, Int32(MSG_NOSIGNAL))
        return sent == frames.count ? .sent : unsafe writeRest(of: frames, from: max(0, sent), to: wsi)
    }

    /// Whatever was wrong, libwebsockets meets it once more and does what it does then. LWS_WRITE_HTTP is how it passes frames on as they are.
    private static func writeRest(of frames: UnsafeMutableRawBufferPointer, from sent: Int, to wsi: OpaquePointer?) -> Outcome {
        let rest = frames.count - sent
        let start = unsafe frames.baseAddress?.advanced(by: sent).assumingMemoryBound(to: UInt8.self)
        return unsafe lws_write(wsi, start, rest, LWS_WRITE_HTTP) < rest ? .failed : .taken
    }
}
