/** The two ends of a conversation, as programs for `node -e`: they start often, so they import next to nothing. */

/** PORT: tells whoever asks the address that it comes from; says "ready" first. */
export const SERVE = `
const port = Number(process.argv[1]);
const plain = (address) => address.replace(/^::ffff:/, '');
const server = require('node:net').createServer((s) => { s.on('error', () => {}); s.end(plain(s.remoteAddress ?? '')); });
const udp = require('node:dgram').createSocket('udp6');
udp.on('message', (_, from) => udp.send(plain(from.address), from.port, from.address));
server.listen(port, '::', () => udp.bind(port, '::', () => console.log('ready')));
`;

/** TRANSPORT IP PORT [FROM]: prints the answer; nothing where none comes within two seconds. UDP is sent from the port FROM where that is told. */
export const ASK = `
const [transport, ip, port, from] = process.argv.slice(1);
setTimeout(() => process.exit(0), 2000);
const told = (data) => { process.stdout.write(String(data)); process.exit(0); };
if (transport === 'tcp') {
	const socket = require('node:net').connect(Number(port), ip);
	let all = '';
	socket.on('data', (d) => { all += d; }).on('end', () => told(all)).on('error', () => told(''));
} else {
	const socket = require('node:dgram').createSocket(ip.includes(':') ? 'udp6' : 'udp4');
	socket.on('message', told).on('error', () => told('')).bind(Number(from ?? 0), () => socket.send('?', Number(port), ip));
}
`;

/** IP PORT: sends the first packet of an SCTP association, made by hand since few kernels have SCTP of their own. */
export const SCTP_SEND = `
import socket, struct, sys
ip, port = sys.argv[1], int(sys.argv[2])
def crc32c(data):
	crc = 0xffffffff
	for byte in data:
		crc ^= byte
		for _ in range(8): crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
	return crc ^ 0xffffffff
init = struct.pack('!BBHIIHHI', 1, 0, 20, 1, 65536, 1, 1, 1)
checksum = crc32c(struct.pack('!HHII', 5000, port, 0, 0) + init)
packet = struct.pack('!HHI', 5000, port, 0) + struct.pack('<I', checksum) + init
socket.socket(socket.AF_INET6 if ':' in ip else socket.AF_INET, socket.SOCK_RAW, 132).sendto(packet, (ip, 0))
`;

/** 4 or 6: prints the port that the next SCTP packet of the family is for. */
export const SCTP_TAKE = `
import socket, sys
six = sys.argv[1] == '6'
taker = socket.socket(socket.AF_INET6 if six else socket.AF_INET, socket.SOCK_RAW, 132)
taker.settimeout(60)
packet = taker.recv(65535)
head = 0 if six else (packet[0] & 15) * 4
print(int.from_bytes(packet[head + 2:head + 4], 'big'))
`;
