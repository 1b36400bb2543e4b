/** What is wrong with the resources of a KubeletConfiguration. Pure; most words are upstream's. */
import { parseQuantity } from '../../api/quantity.ts';
import { evictionFaults } from '../eviction/threshold.ts';
import { evictionOf, swapBehaviorOf } from './resource-settings.ts';

const ENFORCED = ['pods', 'system-reserved', 'kube-reserved', 'system-reserved-compressible', 'kube-reserved-compressible', 'none'];
const RESERVABLE = ['cpu', 'memory', 'ephemeral-storage', 'pid'];

export function resourceFaults(config: Readonly<Record<string, unknown>>): readonly string[] {
	const faults: string[] = [...evictionFaults(evictionOf(config))].map((fault) => `invalid configuration: ${fault}`);
	const enforce = (config['enforceNodeAllocatable'] as readonly string[] | undefined) ?? [];
	for (const value of enforce)
		if (!ENFORCED.includes(value))
			faults.push(`invalid configuration: option "${value}" specified for enforceNodeAllocatable is none of ${ENFORCED.join(', ')}`);
	for (const value of new Set(enforce.filter((e, i) => enforce.indexOf(e) !== i)))
		faults.push(`invalid configuration: duplicated enforcements "${value}" in enforceNodeAllocatable`);
	if (enforce.length > 1 && enforce.includes('none'))
		faults.push('invalid configuration: enforceNodeAllocatable may not contain additional enforcements when none is specified');
	for (const which of ['kube', 'system'] as const) {
		const compressible = enforce.includes(`${which}-reserved-compressible`);
		if (compressible && enforce.includes(`${which}-reserved`))
			faults.push(
				`invalid configuration: both ${which}-reserved and ${which}-reserved-compressible cannot be specified in enforceNodeAllocatable`,
			);
		if ((compressible || enforce.includes(`${which}-reserved`)) && !config[`${which}ReservedCgroup`])
			faults.push(`invalid configuration: ${which}ReservedCgroup must be specified when "${which}-reserved" is in enforceNodeAllocatable`);
	}
	if (config['cgroupsPerQOS'] === false && enforce.some((e) => e !== 'none'))
		faults.push('invalid configuration: enforceNodeAllocatable is not supported unless cgroupsPerQOS is set to true');
	const driver = config['cgroupDriver'];
	if (driver !== undefined && driver !== '' && driver !== 'cgroupfs' && driver !== 'systemd')
		faults.push(`invalid configuration: cgroupDriver ${JSON.stringify(driver)} must be cgroupfs or systemd`);
	const swap = swapBehaviorOf(config);
	if (!['', 'NoSwap', 'LimitedSwap'].includes(swap))
		faults.push(`invalid configuration: memorySwap.swapBehavior ${JSON.stringify(swap)} must be one of: "", "LimitedSwap" or "NoSwap"`);
	for (const field of ['kubeReserved', 'systemReserved'])
		for (const [name, text] of Object.entries((config[field] as Record<string, string> | undefined) ?? {})) {
			if (!RESERVABLE.includes(name)) faults.push(`invalid configuration: cannot reserve "${name}" resource in ${field}`);
			try {
				if (parseQuantity(text).nano < 0n) faults.push(`invalid configuration: ${field}.${name} cannot be negative: ${text}`);
			} catch {
				faults.push(`invalid configuration: ${field}.${name} ${JSON.stringify(text)} is no quantity`);
			}
		}
	return faults;
}
