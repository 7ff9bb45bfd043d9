#!/bin/bash
sed -i "s/, 1) + 1/, 0) + 1/" /app/report.py
