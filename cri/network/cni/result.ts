/** What plug-ins answer to ADD, in the forms that the versions of the specification give it. Pure. */
import { AppError } from '../../../base/errors.ts';
import { familyOf } from '../../../base/ip.ts';
import { asObject, type JsonObject } from './config.ts';
import { atLeast } from './version.ts';

/** A result as it came, with its version. Unknown fields travel along. */
export type CniResult = JsonObject & { readonly cniVersion: string };

/** Parses the output of ADD. An answer without version has that of its request. */
export function parseResult(plugin: string, text: string, version: string): CniResult {
	let parsed: JsonObject | undefined;
	try {
		parsed = asObject(JSON.parse(text));
	} catch {}
	if (parsed === undefined) throw new AppError('Internal', `CNI plug-in "${plugin}" answered ADD with what is no JSON object`);
	return { ...parsed, cniVersion: typeof parsed['cniVersion'] === 'string' ? parsed['cniVersion'] : version };
}

/** The result in the form of another version, as the next plug-in of a chain takes it. */
export function resultAs(result: CniResult, version: string): CniResult {
	if (result.cniVersion === version) return result;
	const ips = entries(result, 'ips').map((ip) => {
		const { version: _, ...rest } = ip;
		// Until 0.4 an address says its family.
		return atLeast(version, '1.0.0') ? rest : { version: familyOf(addressOf(ip)) === 6 ? '6' : '4', ...rest };
	});
	const { ips: _, ...rest } = result;
	return { ...rest, ...('ips' in result ? { ips } : {}), cniVersion: version };
}

/** The addresses of the pod's interface: the primary one first, at most one of each family. */
export function podIps(result: CniResult, ifname: string): readonly string[] {
	const interfaces = entries(result, 'interfaces');
	const ips = entries(result, 'ips');
	const ofPod = ips.filter((ip) => {
		const at = ip['interface'];
		return typeof at !== 'number' || interfaces[at]?.['name'] === ifname;
	});
	const addresses = ofPod.map(addressOf);
	return [...new Map(addresses.toReversed().map((ip) => [familyOf(ip), ip] as const)).entries()]
		.filter(([family]) => family !== undefined)
		.map(([, ip]) => ip)
		.sort((a, b) => addresses.indexOf(a) - addresses.indexOf(b));
}

function entries(result: CniResult, key: string): readonly JsonObject[] {
	const value = result[key];
	return Array.isArray(value) ? value.map((v: unknown) => asObject(v)).filter((v) => v !== undefined) : [];
}

/** Without the prefix. */
function addressOf(ip: JsonObject): string {
	const { address } = ip;
	return typeof address === 'string' ? (address.split('/')[0] as string) : '';
}
