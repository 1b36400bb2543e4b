/** Connects and disconnects pods until it is killed, saying a word before and after each step: SUBJECT PLUG-INS FOLDER HELPER. */
import { PodSandboxConfig } from '../../cri/proto.ts';
import { Place } from '../tools/netns/place.ts';
import { port } from './pod-network-suite.ts';
import { subjectOf, type SubjectName } from './pod-network-subjects.ts';

const [name, binDir, dir, helperPath] = process.argv.slice(2) as [SubjectName, string, string, string];
const subject = await subjectOf(name, { dir, helperPath, binDir });
await using place = new Place(helperPath);
const network = await subject.open();
console.log('starting');
await network.start([]);
for (let i = 0; ; i++) {
	const id = `victim${process.pid}x${i}`;
	const metadata = { name: id, namespace: 'ns', uid: id, attempt: 0 };
	const pod = {
		name: id,
		id,
		config: { ...PodSandboxConfig.decode(Buffer.alloc(0)), metadata, portMappings: [port(9460 + (i % 500), 80)] },
	};
	const address = await network.reserve(pod);
	const pid = await place.process();
	console.log('connecting');
	await network.attach(pod, { pid, engineIps: [] }, address);
	console.log('connected');
	if (i % 2 === 0) continue;
	console.log('disconnecting');
	await network.release({ ...pod, address }, () => place.end(pid));
}
