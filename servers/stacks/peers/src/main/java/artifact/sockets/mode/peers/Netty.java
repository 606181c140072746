package artifact.sockets.mode.peers;

import module java.base;
import artifact.stacks.common.Options;
import artifact.stacks.common.StackOptions;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.*;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.*;

/** Netty by its NIO transport, with an event loop for each CPU; answers the page of the socket servers to any path. */
public final class Netty {

    private static final byte[] PAGE = "요청을 받았고 이것이 응답이다".getBytes(StandardCharsets.UTF_8);

    private Netty() {}

    public static void main(String[] arguments) throws InterruptedException {
        Options options = StackOptions.parse(arguments, Map.of());
        var loops = new MultiThreadIoEventLoopGroup(
                Runtime.getRuntime().availableProcessors(), NioIoHandler.newFactory());
        var channel = new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, options.number("backlog"))
                .childHandler(new Connection())
                .bind("127.0.0.1", options.number("port"))
                .sync()
                .channel();
        System.out.println("listening on 127.0.0.1:" + ((InetSocketAddress) channel.localAddress()).getPort());
    }

    private static final class Connection extends ChannelInitializer<SocketChannel> {

        @Override
        protected void initChannel(SocketChannel channel) {
            channel.pipeline().addLast(new HttpServerCodec(), new Answering());
        }
    }

    private static final class Answering extends SimpleChannelInboundHandler<HttpRequest> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, HttpRequest request) {
            boolean keepAlive = HttpUtil.isKeepAlive(request);
            FullHttpResponse response = new DefaultFullHttpResponse(
                    request.protocolVersion(), HttpResponseStatus.OK, Unpooled.wrappedBuffer(PAGE.clone()));
            response.headers().set(HttpHeaderNames.CONTENT_TYPE, "text/html;charset=utf-8");
            HttpUtil.setContentLength(response, response.content().readableBytes());
            HttpUtil.setKeepAlive(response, keepAlive);
            var written = context.writeAndFlush(response);
            if (!keepAlive) {
                written.addListener(ChannelFutureListener.CLOSE);
            }
        }
    }
}
