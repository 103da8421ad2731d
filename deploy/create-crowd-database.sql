CREATE DATABASE fairpool_crowd;
