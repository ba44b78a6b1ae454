// A server with one event loop and nothing else: it shows each client a store, now and whenever it changes, and sets the store to
// each line that a client types.
//
//     nio-board notices.today 7000      then, elsewhere: nc 127.0.0.1 7000

import HubClient
import HubNIO
import NIOCore
import NIOPosix

/// A connection, with a stream that ends with it.
final class Reader: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let text: SharedValue<String>
  private let executor: (any TaskExecutor)?
  private var following: Task<Void, any Error>?
  private var typed = ByteBuffer()

  init(_ text: SharedValue<String>, _ executor: (any TaskExecutor)?) {
    (self.text, self.executor) = (text, executor)
  }

  func channelActive(context: ChannelHandlerContext) {
    // It prefers the Hub's executor: it runs on this thread, between the loop's other work.
    following = Task(executorPreference: executor) { [text, channel = context.channel] in
      for try await value in text.values {
        channel.writeAndFlush(ByteBuffer(string: value + "\n"), promise: nil)
      }
    }
  }

  func channelInactive(context: ChannelHandlerContext) { following?.cancel() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    typed.writeImmutableBuffer(unwrapInboundIn(data))
    while let end = typed.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) {
      let line = typed.readString(length: end - typed.readerIndex) ?? ""
      typed.moveReaderIndex(forwardBy: 1)
      Task(executorPreference: executor) { [text, channel = context.channel] in
        do {
          try await text.set(line)
        } catch {
          channel.writeAndFlush(ByteBuffer(string: "\(error)\n"), promise: nil)
        }
      }
    }
  }
}

let arguments = CommandLine.arguments.dropFirst()
let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
let nio = NIOHub(on: loop, name: "nio-board")
let text = nio.hub.value(arguments.first ?? "notices.today", of: String.self)
let port = arguments.dropFirst().first.flatMap { Int($0) } ?? 7000
let server = try ServerBootstrap(group: loop)
  .childChannelInitializer { [executor = nio.hub.executor] channel in
    channel.eventLoop.makeCompletedFuture {
      try channel.pipeline.syncOperations.addHandler(Reader(text, executor))
    }
  }
  .bind(host: "127.0.0.1", port: port).wait()
print("127.0.0.1:\(server.localAddress?.port ?? port)")
try server.closeFuture.wait()
