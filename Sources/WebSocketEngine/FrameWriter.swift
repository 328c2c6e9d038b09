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

    /// Without TLS, `descriptor` is the socket, and the frames are written to it directly: for thousands of writes a turn, the
    /// checks in `lws_write` cost more than all the rest of our code. Negative with TLS.
    @inline(__always)
    static func write(_ frames: UnsafeMutableRawBufferPointer, to wsi: OpaquePointer?, _ descriptor: Int32) -> Outcome {
        let sent = unsafe descriptor < 0 ? -1 : send(descriptor, frames.baseAddress, frames.count, Int32(MSG_NOSIGNAL))
        return sent == frames.count ? .sent : unsafe writeRest(of: frames, from: max(0, sent), to: wsi)
    }

    /// Writes the rest through libwebsockets, which meets the same error, if any, and handles it. LWS_WRITE_HTTP makes it pass
    /// frames on unchanged.
    private static func writeRest(of frames: UnsafeMutableRawBufferPointer, from sent: Int, to wsi: OpaquePointer?) -> Outcome {
        let rest = frames.count - sent
        let start = unsafe frames.baseAddress?.advanced(by: sent).assumingMemoryBound(to: UInt8.self)
        return unsafe lws_write(wsi, start, rest, LWS_WRITE_HTTP) < rest ? .failed : .taken
    }
}
