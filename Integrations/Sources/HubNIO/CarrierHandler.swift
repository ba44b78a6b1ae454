// The only handler in the pipeline of a Hub's channel: it passes the channel's events to the carrier.

import NIOCore

final class CarrierHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let carrier: Carrier
  private var error: (any Error)?

  init(_ carrier: Carrier) { self.carrier = carrier }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    carrier.received(unwrapInboundIn(data), on: context.channel)
  }

  func channelReadComplete(context: ChannelHandlerContext) { carrier.turn() }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable { carrier.send() }
  }

  func channelInactive(context: ChannelHandlerContext) { carrier.ended(context.channel, error) }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    self.error = error
    context.close(promise: nil)
  }
}
