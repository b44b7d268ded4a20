import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askedEndpointFault } from './asked-endpoint.ts';

test('who asks through the service reaches devices, and no metadata service or file of the machine', () => {
  for (const endpoint of [
    'http://169.254.169.254/latest',
    'http://0xA9FEA9FE/',
    'http://2852039166/',
    'https://[fe80::1]/',
    'http://[::ffff:169.254.169.254]/',
    'http://[fd00:ec2::254]/',
    'tcp://169.254.169.254:80',
    'mqtt://169.254.0.1',
    'serial:///etc/shadow',
    'serial:///dev/../etc/shadow',
    'serial:///dev/ttyS0/../../etc/shadow',
    'serial:///dev/%2e%2e/etc/shadow',
    'serial:///dev/ttyS0%2f..%2f..%2fetc/shadow',
    'serial:///dev/sda',
    'serial:///dev/tty',
    'no endpoint',
  ])
    assert.notEqual(askedEndpointFault(endpoint), null, endpoint);
  for (const endpoint of [
    'http://10.0.4.20/data',
    'tcp://mill.local:502',
    'tcp://[fd12:3456::1]:502',
    'mqtts://broker.example.com',
    'listen://0.0.0.0:8089/data',
    'serial:///dev/ttyUSB0?baud=9600',
    'serial:///dev/ttyAMA0',
    'serial:///dev/tty.usbserial-1410',
    'serial:///dev/serial/by-id/usb-FTDI_FT232R-if00-port0',
  ])
    assert.equal(askedEndpointFault(endpoint), null, endpoint);
});
