import test from 'ava';
import { portRange } from './port-range.ts';

const FLAG = 'service-node-port-range';

for (const [text, want] of [
	['30000-32767', [30000, 32767]],
	[' 30000-32767 ', [30000, 32767]],
	['30000+100', [30000, 30100]],
	['30000', [30000, 30000]],
	['0-65535', [0, 65535]],
	['', undefined],
] as const)
	test(`"${text}" is a range of ports`, (t) => t.deepEqual(portRange(FLAG, text), want));

for (const [text, why] of [
	['x', 'strconv.Atoi: parsing "x": invalid syntax'],
	['30000-', 'strconv.Atoi: parsing "": invalid syntax'],
	['-5', 'strconv.Atoi: parsing "": invalid syntax'],
	['1-2-3', 'strconv.Atoi: parsing "2-3": invalid syntax'],
	['1+2-3', 'unable to parse port range: 1+2-3'],
	['30000-70000', 'the port range cannot be greater than 65535: 30000-70000'],
	['70000', 'the port range cannot be greater than 65535: 70000'],
	['2-1', 'end port cannot be less than start port: 2-1'],
] as const)
	test(`"${text}" is none, in upstream's words`, (t) => {
		t.throws(() => portRange(FLAG, text), { message: `invalid argument "${text}" for "--${FLAG}" flag: ${why}` });
	});
