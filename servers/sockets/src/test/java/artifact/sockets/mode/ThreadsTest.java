package artifact.sockets.mode;

import static artifact.sockets.mode.Client.PAGE;
import static artifact.sockets.mode.Client.get;
import static org.junit.jupiter.api.Assertions.*;

import module java.base;
import artifact.sockets.mode.Client.Reply;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Where the corrected modes differ: how many threads, and what happens when there is none left. */
class ThreadsTest {

    private final List<ServerProcess> servers = new ArrayList<>();

    @AfterEach
    void stop() throws IOException {
        for (ServerProcess server : servers) {
            server.close();
        }
    }

    @Test
    void threadPerRequestHasAThreadForEveryConnection() throws Exception {
        ServerProcess server = start(ThreadPerRequest.class);
        server.connect(40);
        ServerProcess.await("every connection has its thread", () -> server.handlerThreads() == 40);
        server.disconnect();
        ServerProcess.await("they are gone", () -> server.handlerThreads() == 0);
    }

    /** Each of the refused is asked while others, which came before it, say nothing. */
    @Test
    void fixedPoolSays503WhenItIsFullAndServesAgainAfterwards() throws Exception {
        ServerProcess server = start(FixedPool.class, "--core-threads=2", "--threads=4", "--queue=3");
        List<Client> served = new ArrayList<>(server.connect(2));
        ServerProcess.await("the core is busy", () -> server.handlerThreads() == 2);
        served.addAll(server.connect(5));
        for (Client refused : server.connect(33).reversed()) {
            Reply refusal = refused.ask(PAGE);
            assertEquals(503, refusal.status());
            assertEquals("close", refusal.connection());
            assertTrue(refused.isAtEnd());
        }
        assertEquals(4, server.handlerThreads());
        for (Client held : served) {
            assertEquals(200, held.ask("GET /jmeter/test HTTP/1.0\r\n\r\n").status());
        }
        server.disconnect();
        server.assertServes();
    }

    @Test
    void virtualThreadsAndEventLoopsNeedNoneForAConnection() throws Exception {
        ServerProcess virtual = start(VirtualThreadPerRequest.class);
        ServerProcess loop = start(EventLoop.class, "--loops=1");
        ServerProcess loops = start(EventLoop.class, "--loops=3");
        for (ServerProcess server : servers) {
            for (Client client : server.connect(40)) {
                assertEquals(200, client.ask(PAGE).status());
            }
            server.disconnect();
        }
        assertEquals(0, virtual.handlerThreads());
        assertEquals(1, loop.handlerThreads());
        assertEquals(3, loops.handlerThreads());
    }

    /** Without a descriptor for it at the first wait, no virtual thread of the process can ever wait again. */
    @Test
    void virtualThreadsHaveWhatTheyWaitWithBeforeTheFirstConnection() throws Exception {
        String descriptors = start(VirtualThreadPerRequest.class).descriptors();
        assertTrue(descriptors.contains("anon_inode:[eventpoll]"), descriptors);
    }

    /** Ten connections on each loop: what one of them works on delays nine others, and no other loop. */
    @Test
    void eventLoopsShareTheConnectionsEqually() throws Exception {
        List<Client> clients = start(EventLoop.class, "--loops=2").connect(20);
        clients.getFirst().send(get("/work?cpu_us=10000000"));
        for (int i = 1; i < 20; i += 2) {
            assertEquals(200, clients.get(i).ask(PAGE).status());
        }
        for (int i = 2; i < 20; i += 2) {
            clients.get(i).send(PAGE);
        }
        Thread.sleep(100);
        for (int i = 0; i < 20; i += 2) {
            assertFalse(clients.get(i).hasNews());
        }
    }

    @Test
    void eventLoopSleepsForManyAtOnce() throws Exception {
        List<Client> clients = start(EventLoop.class).connect(51);
        Client sleeper = clients.getFirst().send(get("/work?sleep_ms=60000"));
        List<Client> others = clients.subList(1, 51);
        long start = System.nanoTime();
        for (Client client : others) {
            client.send(get("/work?sleep_ms=200"));
        }
        for (Client client : others) {
            assertEquals(200, client.reply().status());
        }
        assertTrue(System.nanoTime() - start < 50 * 200_000_000L, "one after the other they sleep longer");
        assertFalse(sleeper.hasNews());
    }

    @Test
    void threadPerRequestOutlivesThreadsThatCannotBeStarted() throws Exception {
        ServerProcess server = startWithFewThreads(ThreadPerRequest.class);
        servers.add(server);
        int refused = 0;
        for (Client client : server.connect(40)) {
            refused += isServed(client) ? 0 : 1;
        }
        assertTrue(refused > 0, "some connection got no thread");
        server.disconnect();
        ServerProcess.await("their threads are gone", () -> server.handlerThreads() == 0);
        server.assertServes();
    }

    private ServerProcess start(Class<?> mode, String... options) throws IOException {
        servers.add(ServerProcess.start(mode, options));
        return servers.getLast();
    }

    /** Stacks of 256 MB in 6.5 GB of address space, 4.5 of which a JVM takes: the kernel refuses all but a few. */
    static ServerProcess startWithFewThreads(Class<?> mode) throws IOException {
        return ServerProcess.startLimited("-v 6815744", mode, "-Xss256m");
    }

    private static boolean isServed(Client client) throws IOException {
        try {
            return client.ask(PAGE).status() == 200;
        } catch (EOFException | SocketException closedUnanswered) {
            return false;
        }
    }
}
