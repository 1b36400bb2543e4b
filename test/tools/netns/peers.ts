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
