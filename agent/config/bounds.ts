/** Bounds that upstream sets to fields by themselves, whether they have an effect here or not. Pure; most words are upstream's. */
import type { Taint } from '../../api/gen/types.ts';
import { parseDuration } from '../../api/time.ts';
import { labelValue, qualifiedName } from '../../api/validation/names.ts';
import type { KubeletConfiguration } from './configuration.ts';

const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function fieldFaults(config: KubeletConfiguration): readonly string[] {
	const faults: string[] = [];
	const number = (field: string): number | undefined => config[field] as number | undefined;
	const between = (field: string, low: number, high: number): void => {
		const value = number(field) ?? low;
		if (value < low || value > high) faults.push(`${field} ${value} must be between ${low} and ${high}, inclusive`);
	};
	const oneOf = (field: string, values: readonly string[]): void => {
		const value = (config[field] as string | undefined) || values[0] || '';
		if (!values.includes(value)) faults.push(`option "${value}" specified for ${field}. Valid options are ${values.join(', ')}`);
	};
	for (const field of ['iptablesMasqueradeBit', 'iptablesDropBit']) between(field, 0, 31);
	for (const field of ['maxOpenFiles', 'maxPods'])
		if ((number(field) ?? 0) < 0) faults.push(`${field} ${String(number(field))} must not be a negative number`);
	if ((number('nodeLeaseDurationSeconds') ?? 0) < 0) faults.push('nodeLeaseDurationSeconds must be greater than 0');
	oneOf('hairpinMode', ['promiscuous-bridge', 'hairpin-veth', 'none']);
	oneOf('memoryReservationPolicy', ['None', 'TieredReservation']);
	if (config['memoryReservationPolicy'] === 'TieredReservation')
		faults.push('memoryReservationPolicy "TieredReservation" requires MemoryQoS feature gate to be enabled');
	const factor = number('memoryThrottlingFactor');
	if (factor !== undefined && (factor <= 0 || factor > 1))
		faults.push(`memoryThrottlingFactor ${factor} must be greater than 0 and less than or equal to 1.0`);
	if (config['systemCgroups'] && !config['cgroupRoot']) faults.push('systemCgroups was specified and cgroupRoot was not specified');
	const all = [...faults, ...durationFaults(config), ...logFolderFaults(config), ...taintFaults(config)];
	return all.map((fault) => `invalid configuration: ${fault}`);
}

function durationFaults(config: KubeletConfiguration): readonly string[] {
	const faults: string[] = [];
	const seconds = (field: string, fallback: number): number =>
		config[field] === undefined ? fallback : Number(parseDuration(config[field] as string)) / 1e9;
	const told = (field: string): string => `${field} ${String(config[field])}`;
	const [least, most] = [seconds('imageMinimumGCAge', 0) || 120, seconds('imageMaximumGCAge', 0)];
	if (least < 0) faults.push(`${told('imageMinimumGCAge')} must not be negative`);
	if (most < 0) faults.push(`${told('imageMaximumGCAge')} must not be negative`);
	if (most > 0 && most <= least) faults.push(`${told('imageMaximumGCAge')} must be greater than imageMinimumGCAge ${least}s`);
	const period = seconds('cpuCFSQuotaPeriod', 0.1);
	if (period < 0.001 || period > 1) faults.push(`${told('cpuCFSQuotaPeriod')} must be between 1ms and 1sec, inclusive`);
	if (seconds('containerLogMonitorInterval', 10) < 3)
		faults.push('containerLogMonitorInterval must be a positive time duration greater than or equal to 3s');
	return faults;
}

function logFolderFaults({ podLogsDir }: KubeletConfiguration): readonly string[] {
	if (typeof podLogsDir !== 'string' || podLogsDir === '') return [];
	const faults: string[] = [];
	if (!podLogsDir.startsWith('/')) faults.push(`pod logs path "${podLogsDir}" must be absolute path`);
	if (
		podLogsDir !== '/' &&
		podLogsDir
			.replace(/^\//, '')
			.split('/')
			.some((part) => ['', '.', '..'].includes(part))
	)
		faults.push(`pod logs path "${podLogsDir}" must be normalized`);
	// oxlint-disable-next-line no-control-regex
	if (!/^[\0-\x7f]*$/.test(podLogsDir)) faults.push(`pod logs path "${podLogsDir}" must contain ASCII characters only`);
	return faults;
}

function taintFaults(config: KubeletConfiguration): readonly string[] {
	const taints = (config['registerWithTaints'] as readonly Partial<Taint>[] | undefined) ?? [];
	return taints.flatMap((taint) => {
		const { key = '', value = '', effect = '', timeAdded } = taint;
		const wrong = [...qualifiedName(key), ...(value === '' ? [] : labelValue(value))];
		return [
			...(wrong.length > 0 || (effect !== '' && !TAINT_EFFECTS.includes(effect)) ? [`invalid taint: ${JSON.stringify(taint)}`] : []),
			...(timeAdded === undefined || timeAdded === null ? [] : ['taint.TimeAdded is not nil']),
		];
	});
}
