/** What is told of interfaces and file systems: names and words of cAdvisor, and where the value is. Pure. */
import type { FileSystemFigures } from './file-systems.ts';
import type { InterfaceCounters } from './processes.ts';

const counter = (at: number) => (i: InterfaceCounters) => (Number.isNaN(i.counters[at]) ? undefined : i.counters[at]);

/** /proc/net/dev has eight counters a direction. */
export const INTERFACE_ROWS = [
	['network_receive_bytes_total', 'Cumulative count of bytes received', counter(0)],
	['network_receive_packets_total', 'Cumulative count of packets received', counter(1)],
	['network_receive_packets_dropped_total', 'Cumulative count of packets dropped while receiving', counter(3)],
	['network_receive_errors_total', 'Cumulative count of errors encountered while receiving', counter(2)],
	['network_transmit_bytes_total', 'Cumulative count of bytes transmitted', counter(8)],
	['network_transmit_packets_total', 'Cumulative count of packets transmitted', counter(9)],
	['network_transmit_packets_dropped_total', 'Cumulative count of packets dropped while transmitting', counter(11)],
	['network_transmit_errors_total', 'Cumulative count of errors encountered while transmitting', counter(10)],
] as const;

const disk = (field: number) => (fs: FileSystemFigures) => fs.disk?.[field];
/** The kernel counts milliseconds. */
const time = (field: number) => (fs: FileSystemFigures) => (fs.disk?.[field] === undefined ? undefined : fs.disk[field] / 1000);

/** Fields of the kernel's Documentation/admin-guide/iostats.rst, from 0. */
export const FILE_SYSTEM_ROWS = [
	['gauge', 'fs_inodes_free', 'Number of available Inodes', (fs: FileSystemFigures) => fs.stats?.inodesFree],
	['gauge', 'fs_inodes_total', 'Number of Inodes', (fs: FileSystemFigures) => fs.stats?.inodes],
	[
		'gauge',
		'fs_limit_bytes',
		'Number of bytes that can be consumed by the container on this filesystem.',
		(fs: FileSystemFigures) => fs.stats?.capacityBytes,
	],
	[
		'gauge',
		'fs_usage_bytes',
		'Number of bytes that are consumed by the container on this filesystem.',
		(fs: FileSystemFigures) => fs.usedBytes ?? fs.stats?.usedBytes,
	],
	['counter', 'fs_reads_total', 'Cumulative count of reads completed', disk(0)],
	['counter', 'fs_reads_merged_total', 'Cumulative count of reads merged', disk(1)],
	['counter', 'fs_sector_reads_total', 'Cumulative count of sector reads completed', disk(2)],
	['counter', 'fs_read_seconds_total', 'Cumulative count of seconds spent reading', time(3)],
	['counter', 'fs_writes_total', 'Cumulative count of writes completed', disk(4)],
	['counter', 'fs_writes_merged_total', 'Cumulative count of writes merged', disk(5)],
	['counter', 'fs_sector_writes_total', 'Cumulative count of sector writes completed', disk(6)],
	['counter', 'fs_write_seconds_total', 'Cumulative count of seconds spent writing', time(7)],
	['gauge', 'fs_io_current', 'Number of I/Os currently in progress', disk(8)],
	['counter', 'fs_io_time_seconds_total', 'Cumulative count of seconds spent doing I/Os', time(9)],
	['counter', 'fs_io_time_weighted_seconds_total', 'Cumulative weighted I/O time in seconds', time(10)],
] as const;
